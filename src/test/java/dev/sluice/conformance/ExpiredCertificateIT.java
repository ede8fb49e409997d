package dev.sluice.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.ChildServer;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.SelfSigned;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server whose certificate has expired, on one of its two listeners. */
class ExpiredCertificateIT {
  /** How curl ends that does not trust the server's certificate. */
  private static final int REFUSED_CERTIFICATE = 60;

  @TempDir private static Path folder;
  private static SelfSigned expired;
  private static ChildServer server;
  private static int port;
  private static int plainPort;

  @BeforeAll
  static void start() throws IOException {
    expired = SelfSigned.createExpired(folder, "expired");
    port = ChildServer.freePort();
    plainPort = ChildServer.freePort();
    Path settings = folder.resolve("sluice.yml");
    Files.writeString(
        settings,
        """
        listeners:
          - address: localhost:%d
            tls: { certificate: %s, key: %s }
          - address: localhost:%d
        models: { directory: %s }
        """
            .formatted(
                port,
                expired.certificate(),
                expired.key(),
                plainPort,
                Files.createDirectories(folder.resolve("models"))));
    server = ChildServer.start("serve", "--config=" + settings);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"--http1.1", "--http2"})
  void clientThatTrustsItRefusesTheConnection(String protocol) throws Exception {
    var curl =
        new ProcessBuilder(
                "curl",
                "--silent",
                "--show-error",
                "--cacert",
                expired.certificate().toString(),
                protocol,
                "https://localhost:" + port + "/v2/health/live")
            .redirectErrorStream(true)
            .start();
    String said = new String(curl.getInputStream().readAllBytes(), UTF_8);
    assertThat(curl.waitFor()).as(said).isEqualTo(REFUSED_CERTIFICATE);
    assertThat(said).contains("expired");
  }

  @Test
  void logSaysItOnceAndTheMetricSaysUntilWhenItWasValid() throws Exception {
    server.awaitLine("the certificate has expired: clients refuse it listener=localhost:" + port);
    assertThat(server.output().stream().filter(line -> line.contains("has expired"))).hasSize(1);
    var own = (X509Certificate) expired.store().getCertificate("own");
    long end = own.getNotAfter().toInstant().getEpochSecond();
    try (var http = new HttpCaller(plainPort)) {
      String metrics = http.send("GET", "/metrics", Buffer.buffer()).text();
      assertThat(metrics)
          .contains(
              "sluice_certificate_expiry_timestamp_seconds{listener=\"localhost:%d\"} "
                  .formatted(port))
          .doesNotContain(
              "sluice_certificate_expiry_timestamp_seconds{listener=\"localhost:%d\"}"
                  .formatted(plainPort));
      double shown =
          metrics
              .lines()
              .filter(line -> line.startsWith("sluice_certificate_expiry_timestamp_seconds{"))
              .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
              .findFirst()
              .orElseThrow();
      assertThat(shown).isEqualTo((double) end);
    }
  }
}
