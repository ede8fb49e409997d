package dev.sluice.boot;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.config.security.TlsConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.testing.Polling;
import dev.sluice.testing.RecordCopy;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.SelfSigned;
import java.io.IOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class CertificateReloadIT {
  /** Longer than any answer here takes: a connection that gets none fails the test. */
  private static final int TIMEOUT_MILLIS = 20_000;

  @TempDir private static Path made;
  private static SelfSigned first;
  private static SelfSigned second;

  @TempDir private Path folder;
  private Path certificate;
  private Path key;
  private Path clientCa;

  @BeforeAll
  static void makeCertificates() {
    first = SelfSigned.create(made, "first");
    second = SelfSigned.create(made, "second");
  }

  @BeforeEach
  void placeFiles() throws IOException {
    certificate = Files.copy(first.certificate(), folder.resolve("server.pem"));
    key = Files.copy(first.key(), folder.resolve("server.key"));
    clientCa = Files.copy(first.certificate(), folder.resolve("clients.pem"));
  }

  private static void replace(Path file, Path by) throws IOException {
    Path staged = Files.copy(by, file.resolveSibling("staged"));
    Files.move(staged, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private RunningServer start(Optional<Path> authorities) {
    TlsConfig tls =
        RecordCopy.with(
            new TlsConfig(certificate, key, authorities), "reloadInterval", Duration.ofMillis(5));
    ListenerConfig listener = ListenerConfig.DEFAULT.withPort(0).withTls(Optional.of(tls));
    return RunningServer.start(
        RunningServer.settings(
            listener, RepositoryConfig.of(DesiredModels.only(Map.of()), Duration.ZERO)));
  }

  /** A client that takes every certificate, keeps its sessions, and shows a certificate or none. */
  private static SSLContext client(Optional<SelfSigned> identity) throws Exception {
    KeyManager[] keys = null;
    if (identity.isPresent()) {
      var factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      factory.init(identity.get().store(), SelfSigned.PASSWORD.toCharArray());
      keys = factory.getKeyManagers();
    }
    var context = SSLContext.getInstance("TLS");
    context.init(keys, new TrustManager[] {new TrustsAll()}, null);
    return context;
  }

  private record TrustsAll() implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }

  private static SSLSocket connect(SSLContext client, int port) throws IOException {
    var connection = (SSLSocket) client.getSocketFactory().createSocket("localhost", port);
    connection.setSoTimeout(TIMEOUT_MILLIS);
    return connection;
  }

  /** The status line of one more answer on a connection; nothing if the server has closed it. */
  private static String ask(SSLSocket connection) throws IOException {
    String request = "GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";
    connection.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    byte[] answer = new byte[4_096];
    int length = connection.getInputStream().read(answer);
    return new String(answer, 0, Math.max(0, length), StandardCharsets.US_ASCII)
        .lines()
        .findFirst()
        .orElse("");
  }

  private static Certificate shown(SSLContext client, int port) {
    try (SSLSocket connection = connect(client, port)) {
      assertThat(ask(connection)).isEqualTo("HTTP/1.1 200 OK");
      return connection.getSession().getPeerCertificates()[0];
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean isAnswered(SSLContext client, int port) {
    try (SSLSocket connection = connect(client, port)) {
      return ask(connection).equals("HTTP/1.1 200 OK");
    } catch (SSLException | SocketException e) {
      return false;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static Certificate of(SelfSigned identity) throws Exception {
    return identity.store().getCertificate("own");
  }

  @Test
  void newConnectionsGetANewCertificateAndOldOnesLiveOn() throws Exception {
    SSLContext client = client(Optional.empty());
    try (RunningServer server = start(Optional.empty());
        SSLSocket old = connect(client, server.port())) {
      assertThat(ask(old)).isEqualTo("HTTP/1.1 200 OK");
      assertThat(shown(client, server.port())).isEqualTo(of(first));
      replace(certificate, second.certificate());
      replace(key, second.key());
      Certificate expected = of(second);
      Polling.await("the new certificate", () -> shown(client, server.port()).equals(expected));
      assertThat(ask(old)).isEqualTo("HTTP/1.1 200 OK");
      assertThat(old.getSession().getPeerCertificates()[0]).isEqualTo(of(first));
    }
  }

  @Test
  void filesThatCannotBeUsedChangeNothingButOneLineOfTheLog() throws Exception {
    SSLContext client = client(Optional.empty());
    Logger logger = (Logger) LoggerFactory.getLogger(CertificateReloader.class);
    var log = new ListAppender<ILoggingEvent>();
    log.list = new CopyOnWriteArrayList<>();
    log.start();
    logger.addAppender(log);
    try (RunningServer server = start(Optional.empty())) {
      replace(certificate, second.certificate());
      Polling.await("a line of the log", () -> !log.list.isEmpty());
      assertThat(shown(client, server.port())).isEqualTo(of(first));
      Files.delete(key);
      Polling.await("a line of the log", () -> log.list.size() > 1);
      assertThat(shown(client, server.port())).isEqualTo(of(first));
      Files.writeString(key, "nonsense");
      Polling.await("a line of the log", () -> log.list.size() > 2);
      assertThat(shown(client, server.port())).isEqualTo(of(first));
      replace(key, second.key());
      Polling.await("a line of the log", () -> log.list.size() > 3);
      assertThat(shown(client, server.port())).isEqualTo(of(second));
    } finally {
      logger.detachAppender(log);
    }
    assertThat(log.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .satisfiesExactly(
            line ->
                assertThat(line)
                    .isEqualTo(
                        key
                            + ": is not the key of the certificate in "
                            + certificate
                            + "; the certificates that were loaded before stay"),
            line -> assertThat(line).startsWith(key + ": no such file"),
            line -> assertThat(line).startsWith(key + ": holds no private key"),
            line -> assertThat(line).startsWith("new connections get CN=localhost, valid until "));
  }

  @Test
  void clientsOfAnAuthorityThatIsRevokedAreRefusedEvenIfTheyResumeTheirSession() throws Exception {
    SSLContext old = client(Optional.of(first));
    SSLContext changed = client(Optional.of(second));
    try (RunningServer server = start(Optional.of(clientCa))) {
      assertThat(isAnswered(old, server.port())).isTrue();
      assertThat(isAnswered(changed, server.port())).isFalse();
      replace(clientCa, second.certificate());
      Polling.await("the other authority", () -> isAnswered(changed, server.port()));
      for (int i = 0; i < 3; i++) {
        assertThat(isAnswered(old, server.port())).isFalse();
      }
      Files.write(clientCa, List.of(), StandardCharsets.US_ASCII);
      Files.write(clientCa, Files.readAllBytes(first.certificate()));
      Polling.await("the other authority", () -> isAnswered(old, server.port()));
    }
  }
}
