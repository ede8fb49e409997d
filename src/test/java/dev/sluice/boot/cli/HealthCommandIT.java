package dev.sluice.boot.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.security.TlsConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.SelfSigned;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code sluice health} against real servers, and against one that says what it is told. */
@Timeout(60)
class HealthCommandIT {
  private static final int DONE = 0;
  private static final int FAILED = 1;
  private static final int USAGE = 2;

  private final StringWriter err = new StringWriter();

  @TempDir private Path folder;

  private int health(String... arguments) {
    return SluiceCommand.healthCommand().setErr(new PrintWriter(err)).execute(arguments);
  }

  private static RunningServer start(ListenerConfig listener) {
    return RunningServer.start(
        RunningServer.settings(
            listener, RepositoryConfig.of(DesiredModels.only(Map.of()), Duration.ZERO)));
  }

  @Test
  void aReadyServerIsDoneWithoutAWord() {
    try (var server = RunningServer.startEmpty()) {
      assertThat(health("--url", server.url())).isEqualTo(DONE);
      assertThat(health("--url", server.url(), "--ready")).isEqualTo(DONE);
      assertThat(health("--url", server.url(), "--live")).isEqualTo(DONE);
      assertThat(health("--url", server.url() + "/v2/health/ready")).isEqualTo(DONE);
    }
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void aCertificateIsVerifiedByItsAuthorityIfOneIsNamed() {
    var own = SelfSigned.create(folder, "own");
    var other = SelfSigned.create(folder, "other");
    var tls = new TlsConfig(own.certificate(), own.key(), Optional.empty());
    var listener = ListenerConfig.DEFAULT.withPort(0).withTls(Optional.of(tls));
    try (var server = start(listener)) {
      String url = "https://localhost:" + server.port();
      assertThat(health("--url", url)).isEqualTo(DONE);
      assertThat(health("--url", url, "--cacert", own.certificate().toString())).isEqualTo(DONE);
      assertThat(err.toString()).isEmpty();
      assertThat(health("--url", url, "--cacert", other.certificate().toString()))
          .isEqualTo(FAILED);
      assertThat(err.toString()).contains(url).doesNotContain("\tat ");
    }
  }

  @Test
  void aServerOnASocketIsAskedThere() {
    Path socket = folder.resolve("sluice.sock");
    try (var _ = start(ListenerConfig.DEFAULT.onSocket(socket))) {
      assertThat(health("--socket", socket.toString())).as(err.toString()).isEqualTo(DONE);
    }
    assertThat(health("--socket", socket.toString())).isEqualTo(FAILED);
  }

  @Test
  void nothingThatListensIsAFailureInOneLine() throws IOException {
    int port;
    try (var taken = new ServerSocket(0)) {
      port = taken.getLocalPort();
    }
    assertThat(health("--url", "http://127.0.0.1:" + port)).isEqualTo(FAILED);
    assertThat(err.toString().lines()).singleElement().asString().contains("refused");
  }

  @Test
  void aServerThatIsNotReadyFailsWithItsStatusAndSeesWhoAsks() throws Exception {
    try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      List<String> request = new ArrayList<>();
      Thread answer = Thread.ofVirtual().start(() -> answer(server, request));
      String url = "http://127.0.0.1:" + server.getLocalPort();
      assertThat(health("--url", url, "--token", "secret", "--api-key", "k")).isEqualTo(FAILED);
      answer.join();
      assertThat(err.toString())
          .contains(url + "/v2/health/ready answers HTTP/1.1 503 Service Unavailable")
          .doesNotContain("secret");
      assertThat(request)
          .contains("GET /v2/health/ready HTTP/1.1", "Authorization: Bearer secret", "X-API-Key: k")
          .contains("Host: 127.0.0.1:" + server.getLocalPort(), "Connection: close");
    }
  }

  private static void answer(ServerSocket server, List<String> request) {
    try (Socket client = server.accept()) {
      var reader = new BufferedReader(new InputStreamReader(client.getInputStream(), ISO_8859_1));
      for (String line = reader.readLine(); !line.isEmpty(); line = reader.readLine()) {
        request.add(line);
      }
      client
          .getOutputStream()
          .write("HTTP/1.1 503 Service Unavailable\r\n\r\n".getBytes(ISO_8859_1));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aServerThatSaysNothingFailsAfterTheTimeout() throws IOException {
    try (var silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String url = "http://127.0.0.1:" + silent.getLocalPort();
      assertThat(health("--url", url, "--timeout", "50ms")).isEqualTo(FAILED);
      assertThat(err.toString()).contains("has not answered after 50 ms");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "--url, localhost:8080, wanted one such as http://localhost:8080",
    "--url, ftp://localhost, wanted one such as http://localhost:8080",
    "--timeout, soon, --timeout is 'soon'",
    "--token, 'a\nb', no line ends",
    "--nonsense, 1, Unknown option",
  })
  void wrongFlagsAreExplained(String flag, String value, String text) {
    assertThat(health(flag, value)).isEqualTo(USAGE);
    assertThat(err.toString()).contains(text).doesNotContain("\tat ");
  }
}
