package dev.sluice.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.security.Pem;
import dev.sluice.config.security.TlsConfig;
import dev.sluice.config.server.LimitsConfig;
import dev.sluice.testing.EchoListener;
import dev.sluice.testing.RawCalls;
import dev.sluice.testing.RecordCopy;
import dev.sluice.testing.SelfSigned;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.OpenSSLEngineOptions;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TlsIT {
  @TempDir private static Path folder;
  private static SelfSigned server;
  private static SelfSigned client;

  private static Vertx vertx;

  @AfterAll
  static void stop() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  @BeforeAll
  static void makeCertificates() {
    vertx = Vertx.vertx();
    server = SelfSigned.create(folder, "server");
    client = SelfSigned.create(folder, "client");
  }

  private static EchoListener listen(Optional<Path> clientCa) {
    var tls = new TlsConfig(server.certificate(), server.key(), clientCa);
    return new EchoListener(LimitsConfig.DEFAULT, Optional.of(tls));
  }

  private static EchoListener listenWithPemIn(String origin, Optional<Path> clientCa)
      throws IOException {
    var tls =
        new TlsConfig(
            written(origin, server.certificate()),
            written(origin, server.key()),
            Optional.of(written(origin, clientCa.orElse(server.certificate()))));
    return new EchoListener(LimitsConfig.DEFAULT, Optional.of(tls));
  }

  private static Pem written(String origin, Path file) throws IOException {
    return new Pem.Written(origin, Files.readString(file));
  }

  @Test
  void certificatesMayBeWrittenIntoTheSettings() throws Exception {
    try (var listener = listenWithPemIn("ssl.config", Optional.of(client.certificate()))) {
      assertThat(ask(browser(Optional.of(client)), listener.port(), Version.HTTP_2).body())
          .isEqualTo("hello");
    }
    var wrong = new Pem.Written("ssl.config: server_cert", "none");
    assertThatThrownBy(() -> load(new TlsConfig(wrong, wrong, Optional.empty())))
        .hasMessageStartingWith("ssl.config: server_cert: holds no certificate");
  }

  /** Trusts the server; shows a certificate of its own if it has one. */
  private static HttpClient browser(Optional<SelfSigned> identity) throws Exception {
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(server.store());
    var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(identity.map(SelfSigned::store).orElse(null), SelfSigned.PASSWORD.toCharArray());
    var context = SSLContext.getInstance("TLS");
    context.init(
        identity.isPresent() ? keys.getKeyManagers() : null, trust.getTrustManagers(), null);
    return HttpClient.newBuilder().sslContext(context).build();
  }

  private static HttpResponse<String> ask(HttpClient browser, int port, Version version)
      throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create("https://localhost:" + port + "/echo"))
            .version(version)
            .POST(BodyPublishers.ofString("hello"));
    return browser.send(request.build(), BodyHandlers.ofString());
  }

  @Test
  void openSslComesWithTheServer() {
    assertThat(OpenSSLEngineOptions.isAvailable()).isTrue();
  }

  @ParameterizedTest
  @EnumSource(Version.class)
  void bothVersionsOfHttpAreSpokenOnTheSamePort(Version version) throws Exception {
    try (EchoListener listener = listen(Optional.empty());
        HttpClient browser = browser(Optional.empty())) {
      HttpResponse<String> answer = ask(browser, listener.port(), version);
      assertThat(answer.body()).isEqualTo("hello");
      assertThat(answer.version()).isEqualTo(version);
    }
  }

  @Test
  void grpcIsSpokenOnTheSamePort() throws Exception {
    try (EchoListener listener = listen(Optional.empty())) {
      var trust =
          TlsChannelCredentials.newBuilder().trustManager(server.certificate().toFile()).build();
      ManagedChannel channel =
          Grpc.newChannelBuilderForAddress("localhost", listener.port(), trust).build();
      byte[] answer = RawCalls.send(channel, "test.Echo/Echo", "hello".getBytes(UTF_8));
      channel.shutdownNow();
      assertThat(new String(answer, UTF_8)).isEqualTo("hello");
    }
  }

  @Test
  void whereClientsMustShowACertificateThoseWithoutAreRefused() throws Exception {
    try (EchoListener listener = listen(Optional.of(client.certificate()));
        HttpClient known = browser(Optional.of(client));
        HttpClient unknown = browser(Optional.of(server));
        HttpClient nobody = browser(Optional.empty())) {
      assertThat(ask(known, listener.port(), Version.HTTP_2).body()).isEqualTo("hello");
      assertThatThrownBy(() -> ask(nobody, listener.port(), Version.HTTP_2))
          .isInstanceOf(IOException.class);
      assertThatThrownBy(() -> ask(unknown, listener.port(), Version.HTTP_2))
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void anErrorNamesItsFile() throws IOException {
    Path missing = folder.resolve("missing.pem");
    Path nonsense = Files.writeString(folder.resolve("nonsense.pem"), "nonsense");
    assertThatThrownBy(() -> check(missing, server.key()))
        .isInstanceOf(ConfigException.class)
        .hasMessage(missing + ": no such file");
    assertThatThrownBy(() -> check(nonsense, server.key()))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith(nonsense + ": holds no certificate");
    assertThatThrownBy(() -> check(server.certificate(), nonsense))
        .isInstanceOf(ConfigException.class)
        .hasMessage(nonsense + ": holds no private key; wanted PEM without a password");
    check(server.certificate(), server.key());
  }

  private static void check(Path certificate, Path key) {
    load(new TlsConfig(certificate, key, Optional.empty()));
  }

  private static void load(TlsConfig tls) {
    Tls.load(tls, vertx);
  }

  @Test
  void aKeyOfAnotherCertificateIsReportedWithBothFiles() {
    SelfSigned rsa = SelfSigned.createRsa(folder, "rsa");
    assertThatThrownBy(() -> check(server.certificate(), client.key()))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            client.key() + ": is not the key of the certificate in " + server.certificate());
    assertThatThrownBy(() -> check(server.certificate(), rsa.key()))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith(
            rsa.key() + ": holds no private key for the certificate in " + server.certificate());
    check(rsa.certificate(), rsa.key());
  }

  /** The suite that a client gets that offers only this version and suite, or its failure. */
  private static String negotiate(int port, String version, String suite) {
    var options =
        new NetClientOptions()
            .setSsl(true)
            .setTrustAll(true)
            .setHostnameVerificationAlgorithm("")
            .setSslEngineOptions(new OpenSSLEngineOptions())
            .setEnabledSecureTransportProtocols(Set.of(version))
            .addEnabledCipherSuite(suite);
    return vertx
        .createNetClient(options)
        .connect(port, "localhost")
        .map(socket -> socket.sslSession().getCipherSuite())
        .recover(failure -> Future.succeededFuture("refused: " + failure.getCause()))
        .toCompletionStage()
        .toCompletableFuture()
        .join();
  }

  @Test
  void onlySuitesThatAreForwardSecretAndAuthenticateAreSpoken() {
    SelfSigned rsa = SelfSigned.createRsa(folder, "rsa-suites");
    var tls = new TlsConfig(rsa.certificate(), rsa.key(), Optional.empty());
    try (var listener = new EchoListener(LimitsConfig.DEFAULT, Optional.of(tls))) {
      int port = listener.port();
      assertThat(negotiate(port, "TLSv1.3", "TLS_AES_128_GCM_SHA256"))
          .isEqualTo("TLS_AES_128_GCM_SHA256");
      for (String suite :
          List.of(
              "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
              "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
              "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256")) {
        assertThat(negotiate(port, "TLSv1.2", suite)).isEqualTo(suite);
      }
      for (String suite :
          List.of(
              "TLS_RSA_WITH_AES_128_GCM_SHA256",
              "TLS_RSA_WITH_AES_256_CBC_SHA",
              "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA")) {
        assertThat(negotiate(port, "TLSv1.2", suite)).contains("refused", "HANDSHAKE_FAILURE");
      }
      assertThat(negotiate(port, "TLSv1.1", "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"))
          .contains("refused", "PROTOCOL_VERSION");
    }
    try (var listener =
        new EchoListener(
            LimitsConfig.DEFAULT, Optional.of(RecordCopy.with(tls, "onlyTls13", true)))) {
      assertThat(negotiate(listener.port(), "TLSv1.3", "TLS_AES_128_GCM_SHA256"))
          .isEqualTo("TLS_AES_128_GCM_SHA256");
      assertThat(negotiate(listener.port(), "TLSv1.2", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"))
          .contains("refused", "PROTOCOL_VERSION");
    }
  }
}
