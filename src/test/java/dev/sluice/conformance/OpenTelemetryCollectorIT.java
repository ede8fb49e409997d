package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.ChildServer;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.OpenTelemetryCollector;
import dev.sluice.testing.OpenTelemetryCollector.Collected;
import dev.sluice.testing.SelfSigned;
import dev.sluice.testing.TestModels;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A server as a process of its own, and a real OpenTelemetry collector that gets its spans and
 * metrics.
 */
class OpenTelemetryCollectorIT {
  private static final Buffer ROW = Buffer.buffer("{\"instances\":[1.0]}");
  private static final String TARGET = "/v1/models/half_plus_two:predict";
  private static final String PARENT = "b7ad6b7169203331";

  @TempDir private static Path folder;
  private static OpenTelemetryCollector collector;
  private static Path models;
  private static Path trusted;

  @BeforeAll
  static void open() throws Exception {
    OpenTelemetryCollector.build();
    models = Files.createDirectory(folder.resolve("models"));
    TestModels.copy(TestModels.sample("half_plus_two", "1"), models.resolve("half_plus_two/1"));
    SelfSigned own = SelfSigned.create(folder, "own");
    trusted = trust(own);
    collector = OpenTelemetryCollector.start(folder, own);
  }

  /** Returns a file of certificate authorities, with this one alone. */
  private static Path trust(SelfSigned own) throws Exception {
    Path file = Files.createTempFile(folder, "trusted", ".p12");
    KeyStore authorities = KeyStore.getInstance("PKCS12");
    authorities.load(null, null);
    String alias = own.store().aliases().nextElement();
    authorities.setCertificateEntry("collector", own.store().getCertificate(alias));
    try (OutputStream out = Files.newOutputStream(file)) {
      authorities.store(out, SelfSigned.PASSWORD.toCharArray());
    }
    return file;
  }

  @AfterAll
  static void nothingIsLeftOpen() {
    if (collector != null) {
      collector.close();
    }
  }

  private static ChildServer serve(int port, String endpoint, boolean grpc, Path authorities)
      throws IOException {
    Path settings =
        Files.writeString(
            Files.createTempFile(folder, "sluice", ".yml"),
            """
            tracing:
              endpoint: %1$s
              protocol: %2$s
              service_name: ranking
              resource: [deployment.environment.name=test]
            metrics_export:
              endpoint: %1$s
              protocol: %2$s
              interval: 1s
            """
                .formatted(endpoint, grpc ? "grpc" : "http"));
    return ChildServer.start(
        List.of(
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Djavax.net.ssl.trustStore=" + authorities,
            "-Djavax.net.ssl.trustStorePassword=" + SelfSigned.PASSWORD),
        "serve",
        "--config",
        settings.toString(),
        "--models",
        models.toString(),
        "--listen",
        "localhost:" + port);
  }

  private static void ask(HttpCaller caller, String trace) {
    var headers =
        MultiMap.caseInsensitiveMultiMap()
            .add("traceparent", "00-%s-%s-01".formatted(trace, PARENT));
    assertThat(caller.send("POST", TARGET, headers, ROW).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource({
    "false, false, 0af7651916cd43dd8448eb211c80319c",
    "true, false, 1af7651916cd43dd8448eb211c80319c",
    "false, true, 2af7651916cd43dd8448eb211c80319c",
    "true, true, 3af7651916cd43dd8448eb211c80319c"
  })
  void spansAndMetricsArriveByBothProtocolsWithTlsAndWithout(
      boolean grpc, boolean tls, String trace) throws IOException {
    int port = ChildServer.freePort();
    try (ChildServer server = serve(port, collector.endpoint(grpc, tls), grpc, trusted);
        var caller = new HttpCaller(port)) {
      server.awaitModel("half_plus_two/1");
      ask(caller, trace);

      List<Collected> spans = collector.await(trace);

      assertThat(spans)
          .extracting(Collected::name)
          .containsExactlyInAnyOrder(
              "POST /v1/models/{model}:predict",
              "receive",
              "decode",
              "queue",
              "run",
              "encode",
              "send");
      assertThat(spans)
          .allMatch(each -> each.made("service.name").equals("ranking"))
          .allMatch(each -> each.made("deployment.environment.name").equals("test"))
          .anyMatch(each -> each.span().getString("parentSpanId").equals(PARENT));
      assertThat(collector.awaitMetrics(spans.getFirst().made("service.instance.id")))
          .hasEntrySatisfying(
              "sluice_spans_exported_total",
              metric -> assertThat(metric.getJsonObject("sum").getBoolean("isMonotonic")).isTrue())
          .hasEntrySatisfying(
              "jvm_memory_used_bytes",
              metric -> assertThat(metric.getString("unit")).isEqualTo("By"));
    }
  }

  @Test
  void collectorWhoseCertificateNobodyVouchesForGetsNothing() throws Exception {
    Path others = trust(SelfSigned.create(folder, "other"));
    int port = ChildServer.freePort();
    try (ChildServer server = serve(port, collector.endpoint(true, true), true, others);
        var caller = new HttpCaller(port)) {
      server.awaitModel("half_plus_two/1");
      ask(caller, "4af7651916cd43dd8448eb211c80319c");

      server.awaitLine("spans are not exported");
      server.awaitLine("metrics are not exported");
    }
  }
}
