package dev.sluice.boot.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.config.otlp.CollectorConfig;
import dev.sluice.config.otlp.CollectorConfig.Protocol;
import dev.sluice.config.otlp.TracingConfig;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.OtlpCollector;
import dev.sluice.testing.RecordCopy;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

class SpanExportIT {
  private static final Buffer ROW = Buffer.buffer("{\"instances\":[1.0]}");
  private static final String TARGET = "/v1/models/half_plus_two:predict";

  @TempDir private Path models;
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(CollectorWatch.class);

  @BeforeEach
  void listen() throws IOException {
    TestModels.copy(TestModels.sample("half_plus_two", "1"), models.resolve("half_plus_two/1"));
    log.start();
    logger.addAppender(log);
  }

  @AfterEach
  void listenNoMore() {
    logger.detachAppender(log);
  }

  private RunningServer serve(URI collector, Protocol protocol) {
    TracingConfig none = TracingConfig.DEFAULT;
    var tracing =
        new TracingConfig(
            none.serverTiming(),
            new CollectorConfig(Optional.of(collector), protocol, List.of("x-tenant=a")),
            1,
            true,
            "sluice",
            List.of());
    return RunningServer.start(
        RecordCopy.with(RunningServer.settings(models), "observability.tracing", tracing));
  }

  private RunningServer serve(OtlpCollector collector, Protocol protocol) {
    return serve(
        protocol == Protocol.GRPC ? collector.grpcAddress() : collector.address(), protocol);
  }

  private static double metric(HttpCaller caller, String name) {
    return caller
        .send("GET", "/metrics", Buffer.buffer())
        .text()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow();
  }

  /** Asks the model again and again: the page of metrics has no spans. */
  private static void awaitMoreThan(double floor, HttpCaller caller, String name) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (metric(caller, name) <= floor) {
      assertThat(System.nanoTime()).as(name).isLessThan(end);
      var _ = caller.send("POST", TARGET, ROW);
    }
  }

  private void awaitLine(HttpCaller caller) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (logged().isEmpty()) {
      assertThat(System.nanoTime()).as("a line").isLessThan(end);
      var _ = caller.send("POST", TARGET, ROW);
    }
  }

  private List<String> logged() {
    return List.copyOf(log.list).stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @ParameterizedTest
  @EnumSource(Protocol.class)
  void deadCollectorCostsOneLineAndNoAnswer(Protocol protocol) throws IOException {
    URI dead;
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      dead = URI.create("http://localhost:" + socket.getLocalPort());
    }
    long begun;
    try (var server = serve(dead, protocol);
        var caller = new HttpCaller(server.port())) {
      for (int i = 0; i < 50; i++) {
        assertThat(caller.send("POST", TARGET, ROW).status()).isEqualTo(200);
      }
      awaitMoreThan(400, caller, "sluice_spans_dropped_total");
      awaitLine(caller);
      assertThat(metric(caller, "sluice_spans_exported_total")).isZero();
      begun = System.nanoTime();
    }
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(5));
    assertThat(logged())
        .containsExactly("spans are not exported: the collector does not take them");
  }

  @ParameterizedTest
  @EnumSource(Protocol.class)
  void collectorThatRecoversIsLoggedOnce(Protocol protocol) throws IOException {
    try (var collector = new OtlpCollector();
        var server = serve(collector, protocol);
        var caller = new HttpCaller(server.port())) {
      collector.answer(400);
      var _ = caller.send("POST", TARGET, ROW);
      awaitMoreThan(0, caller, "sluice_spans_dropped_total");
      collector.answer(200);
      awaitMoreThan(0, caller, "sluice_spans_exported_total");

      assertThat(logged())
          .containsExactly(
              "spans are not exported: the collector does not take them",
              "spans are exported again");
    }
  }

  @Test
  void collectorThatIsAwayForAMomentLosesNothing() throws IOException {
    try (var collector = new OtlpCollector()) {
      collector.answer(503);
      try (var server = serve(collector, Protocol.GRPC);
          var caller = new HttpCaller(server.port())) {
        awaitMoreThan(0, caller, "sluice_spans_exported_total");
        assertThat(metric(caller, "sluice_spans_dropped_total")).isZero();
      }
      assertThat(logged()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(Protocol.class)
  void messagesAreCompressedAndHaveTheHeadersThatAreSet(Protocol protocol) throws IOException {
    try (var collector = new OtlpCollector()) {
      try (var server = serve(collector, protocol);
          var caller = new HttpCaller(server.port())) {
        var _ = caller.send("POST", TARGET, ROW);
      }
      Map<String, List<String>> sent = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
      sent.putAll(collector.headers());
      assertThat(sent)
          .containsEntry("x-tenant", List.of("a"))
          .containsEntry(
              protocol == Protocol.GRPC ? "grpc-encoding" : "content-encoding", List.of("gzip"));
      assertThat(collector.resource()).containsEntry("service.name", "sluice");
    }
  }

  @Test
  void probesAndScrapersHaveNoSpans() throws IOException {
    try (var collector = new OtlpCollector()) {
      try (var server = serve(collector, Protocol.HTTP);
          var caller = new HttpCaller(server.port())) {
        for (String path :
            List.of("/v2/health/ready", "/metrics", "/v2/models/half_plus_two/ready")) {
          assertThat(caller.send("GET", path, Buffer.buffer()).status()).isEqualTo(200);
        }
        var _ = caller.send("POST", TARGET, ROW);
      }
      assertThat(collector.size()).isEqualTo(7);
    }
  }

  @ParameterizedTest
  @EnumSource(Protocol.class)
  void spansThatWaitAreSentWhenTheServerStops(Protocol protocol) throws IOException {
    try (var collector = new OtlpCollector()) {
      try (var server = serve(collector, protocol);
          var caller = new HttpCaller(server.port())) {
        for (int i = 0; i < 100; i++) {
          var _ = caller.send("POST", TARGET, ROW);
        }
      }
      // Server, receive, decode, queue, run, encode, send.
      assertThat(collector.size()).isEqualTo(700);
    }
  }
}
