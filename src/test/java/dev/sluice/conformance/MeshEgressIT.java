package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.security.Issuer;
import dev.sluice.testing.ChildServer;
import dev.sluice.testing.Envoy;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.OtlpCollector;
import dev.sluice.testing.Polling;
import dev.sluice.testing.TestModels;
import io.opentelemetry.proto.trace.v1.Span;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the server sends itself, through a real Envoy with the configuration of the page. */
class MeshEgressIT {
  private static final Path EXAMPLE = Path.of("src/docs/reference/examples/envoy-egress.yaml");
  private static final Buffer ROW = Buffer.buffer("{\"instances\":[2.0]}");
  private static final String PARENT = "00f067aa0ba902b7";
  private static final Issuer ISSUER = Issuer.of("mesh");
  private static final BlockingQueue<String> EVENTS = new LinkedBlockingQueue<>();

  @TempDir private static Path folder;
  private static Vertx vertx;
  private static OtlpCollector collector;
  private static Envoy envoy;
  private static int receivers;

  @BeforeAll
  static void open() throws Exception {
    Envoy.install();
    TestModels.copy(
        TestModels.sample("half_plus_two", "1"), folder.resolve("models/half_plus_two/1"));
    vertx = Vertx.vertx();
    collector = new OtlpCollector();
    receivers =
        vertx
            .createHttpServer()
            .requestHandler(MeshEgressIT::receive)
            .listen(0, "127.0.0.1")
            .await(20, TimeUnit.SECONDS)
            .actualPort();
    envoy = Envoy.start(folder, config(receivers));
  }

  @AfterAll
  static void nothingIsLeftOpen() throws Exception {
    if (envoy != null) {
      envoy.close();
    }
    if (collector != null) {
      collector.close();
    }
    if (vertx != null) {
      vertx.close().await(20, TimeUnit.SECONDS);
    }
  }

  /** Answers as who issues tokens, and as who takes events. */
  private static void receive(HttpServerRequest request) {
    if (request.path().equals("/keys")) {
      request.response().end(Issuer.jwks(ISSUER));
      return;
    }
    String type = request.getHeader("ce-type");
    request
        .body()
        .onSuccess(body -> {
          EVENTS.add(type + " " + body);
          request.response().setStatusCode(202).end();
        });
  }

  /** Returns the page's configuration, with the receivers of this test. */
  private static String config(int events) throws IOException {
    return Files.readString(EXAMPLE)
        .replaceAll("port_value: (9901|15001)", "port_value: 0")
        .replaceAll("address: \\w+\\.example", "address: 127.0.0.1")
        .replace("port_value: 4317", "port_value: " + port(collector.grpcAddress()))
        .replace("port_value: 4318", "port_value: " + port(collector.address()))
        .replace("port_value: 8080", "port_value: " + events)
        .replace("port_value: 8443", "port_value: " + receivers);
  }

  private static int port(URI address) {
    return address.getPort();
  }

  private static ChildServer serve(Envoy through, int port, String protocol) throws IOException {
    Path settings =
        Files.writeString(
            Files.createTempFile(folder, "sluice", ".yml"),
            """
            listeners: [{ address: localhost:%1$d }]
            models: { directory: %2$s }
            tracing:
              endpoint: http://localhost:%3$d
              protocol: %4$s
            inference_log: { url: http://localhost:%3$d/events }
            security:
              policies: [{ identities: [authenticated], roles: [inference, metrics] }]
              jwt:
                jwks_url: http://localhost:%3$d/keys
                issuer: https://issuer.example
                audience: [sluice]
            """
                .formatted(port, folder.resolve("models"), through.port("egress"), protocol));
    ChildServer server = ChildServer.start("serve", "--config=" + settings);
    server.awaitModel("half_plus_two/1");
    return server;
  }

  private static MultiMap headers(String trace) {
    return MultiMap.caseInsensitiveMultiMap()
        .add("traceparent", "00-%s-%s-01".formatted(trace, PARENT))
        .add("authorization", "Bearer " + ISSUER.token(Instant.now(), _ -> {}));
  }

  /** Asks until the keys of tokens have come, and returns what the model answers then. */
  private static String ask(HttpCaller caller, String trace) {
    Polling.await(
        "the keys have come", () -> predict(caller, "0af7651916cd43dd8448eb211c80319d") == 200);
    EVENTS.clear();
    return caller
        .send("POST", "/v1/models/half_plus_two:predict", headers(trace), ROW)
        .text()
        .strip();
  }

  private static int predict(HttpCaller caller, String trace) {
    return caller.send("POST", "/v1/models/half_plus_two:predict", headers(trace), ROW).status();
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void spansEventsAndKeysGoThroughTheProxyBesideTheServer(String protocol) throws Exception {
    String trace = (protocol.equals("grpc") ? "1" : "2") + "af7651916cd43dd8448eb211c80319c";
    int port = ChildServer.freePort();
    try (ChildServer _ = serve(envoy, port, protocol);
        var caller = new HttpCaller(port)) {
      assertThat(ask(caller, trace)).contains("3.0");

      List<Span> spans = collector.trace(trace);
      assertThat(OtlpCollector.names(spans)).contains("receive", "run", "send");
      assertThat(List.of(next(), next()))
          .anyMatch(event -> event.startsWith("org.kubeflow.serving.inference.request {"))
          .anyMatch(event -> event.startsWith("org.kubeflow.serving.inference.response {"));
    }
  }

  private static String next() throws InterruptedException {
    String event = EVENTS.poll(20, TimeUnit.SECONDS);
    assertThat(event).as("an event").isNotNull();
    return event;
  }

  @Test
  void aReceiverThatIsNotThereCostsItsRecordsAndNoCall() throws Exception {
    int port = ChildServer.freePort();
    try (Envoy other = Envoy.start(folder, config(1));
        ChildServer _ = serve(other, port, "http");
        var caller = new HttpCaller(port)) {
      assertThat(ask(caller, "3af7651916cd43dd8448eb211c80319c")).contains("3.0");
      String dropped = "sluice_inference_log_dropped_total{reason=\"write_failed\"}";
      Polling.await(
          "Envoy's 503 is counted",
          () ->
              caller
                  .send("GET", "/metrics", headers("4af7651916cd43dd8448eb211c80319c"), ROW)
                  .text()
                  .lines()
                  .anyMatch(line -> line.startsWith(dropped) && !line.endsWith(" 0")));
    }
  }
}
