package dev.sluice.boot.otlp;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.otlp.CollectorConfig;
import dev.sluice.config.otlp.CollectorConfig.Protocol;
import dev.sluice.config.otlp.MetricsExportConfig;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.OtlpCollector;
import dev.sluice.testing.Polling;
import dev.sluice.testing.RecordCopy;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

class MetricExportIT {
  private static final Buffer ROW = Buffer.buffer("{\"instances\":[1.0]}");
  private static final String TARGET = "/v1/models/half_plus_two:predict";
  private static final int CALLS = 3;

  /** Longer than a test: what is sent is sent when the server stops. */
  private static final Duration NEVER = Duration.ofHours(1);

  private static final Duration OFTEN = Duration.ofSeconds(1);

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

  private List<String> logged() {
    return List.copyOf(log.list).stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  private SluiceConfig settings(URI collector, Protocol protocol, Duration interval) {
    var export =
        new MetricsExportConfig(
            new CollectorConfig(Optional.of(collector), protocol, List.of("x-tenant=a")), interval);
    return RecordCopy.with(RunningServer.settings(models), "observability.metricsExport", export);
  }

  private SluiceConfig settings(OtlpCollector collector, Protocol protocol, Duration interval) {
    URI address = protocol == Protocol.GRPC ? collector.grpcAddress() : collector.address();
    return settings(address, protocol, interval);
  }

  private static String page(HttpCaller caller) {
    return caller.send("GET", "/metrics", Buffer.buffer()).text();
  }

  private static double metric(HttpCaller caller, String name) {
    return page(caller)
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow();
  }

  private static void ask(HttpCaller caller) {
    assertThat(caller.send("POST", TARGET, ROW).status()).isEqualTo(200);
  }

  /** Runs a server that is asked a few times, and returns the page just before it stopped. */
  private String served(OtlpCollector collector, Protocol protocol) {
    try (var server = RunningServer.start(settings(collector, protocol, NEVER));
        var caller = new HttpCaller(server.port())) {
      for (int i = 0; i < CALLS; i++) {
        ask(caller);
      }
      return page(caller);
    }
  }

  private static Map<String, Metric> byName(List<Metric> message) {
    return message.stream().collect(toMap(Metric::getName, each -> each));
  }

  private static Map<String, String> kinds(Map<String, Metric> metrics) {
    return metrics.values().stream()
        .collect(
            toMap(
                Metric::getName,
                metric ->
                    switch (metric.getDataCase()) {
                      case SUM -> metric.getSum().getIsMonotonic() ? "counter" : "info";
                      case GAUGE -> "gauge";
                      case HISTOGRAM -> "histogram";
                      case SUMMARY -> "summary";
                      default -> "none";
                    }));
  }

  /** The types on the page of what is named by no other server. */
  private static Map<String, String> typesOf(String page) {
    return page.lines()
        .filter(line -> line.matches("# TYPE (sluice|jvm|process|system)_.*"))
        .map(line -> line.split(" ", -1))
        .collect(toMap(words -> words[2], words -> words[3]));
  }

  private static Map<String, String> attributes(
      List<io.opentelemetry.proto.common.v1.KeyValue> pairs) {
    return pairs.stream()
        .collect(Collectors.toMap(pair -> pair.getKey(), pair -> pair.getValue().getStringValue()));
  }

  private static <T> T found(@org.jspecify.annotations.Nullable T metric) {
    return Objects.requireNonNull(metric);
  }

  @ParameterizedTest
  @EnumSource(Protocol.class)
  void whenTheServerStopsTheCollectorGetsThePageUnderItsNames(Protocol protocol)
      throws IOException {
    try (var collector = new OtlpCollector()) {
      String page = served(collector, protocol);

      assertThat(collector.metrics()).hasSize(1);
      Map<String, String> kinds = kinds(byName(collector.metrics().getFirst()));
      assertThat(kinds).containsAllEntriesOf(typesOf(page));
      assertThat(kinds.keySet())
          .contains("sluice_build_info", "jvm_memory_used_bytes", "process_cpu_seconds_total")
          .allMatch(name -> name.matches("(sluice|jvm|process|system)_.*"));
      assertThat(logged()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(Protocol.class)
  void callsAreCumulativeSumsAndHistogramsSinceTheProcessStarted(Protocol protocol)
      throws IOException {
    try (var collector = new OtlpCollector()) {
      served(collector, protocol);
      Map<String, Metric> metrics = byName(collector.metrics().getFirst());

      Metric counter = found(metrics.get("sluice_requests_total"));
      assertThat(counter.getSum().getAggregationTemporality())
          .isEqualTo(AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE);
      NumberDataPoint calls =
          counter.getSum().getDataPointsList().stream()
              .filter(point -> point.getAsDouble() > 0)
              .findFirst()
              .orElseThrow();
      assertThat(calls.getAsDouble()).isEqualTo(CALLS);
      assertThat(attributes(calls.getAttributesList())).containsEntry("model", "half_plus_two");
      assertIsSpan(calls.getStartTimeUnixNano(), calls.getTimeUnixNano());

      Metric histogram = found(metrics.get("sluice_request_seconds"));
      assertThat(histogram.getUnit()).isEqualTo("s");
      HistogramDataPoint times =
          histogram.getHistogram().getDataPointsList().stream()
              .filter(point -> point.getCount() > 0)
              .findFirst()
              .orElseThrow();
      assertThat(times.getCount()).isEqualTo(CALLS);
      assertThat(times.getBucketCountsList().stream().mapToLong(Long::longValue).sum())
          .isEqualTo(CALLS);
      assertThat(times.getBucketCountsCount()).isEqualTo(times.getExplicitBoundsCount() + 1);
      assertThat(times.getExplicitBoundsList()).isSorted().allMatch(Double::isFinite);
      assertThat(times.getSum()).isPositive();
      assertIsSpan(times.getStartTimeUnixNano(), times.getTimeUnixNano());
    }
  }

  private static void assertIsSpan(long start, long end) {
    Instant started = ProcessHandle.current().info().startInstant().orElseThrow();
    assertThat(start)
        .isEqualTo(started.getEpochSecond() * 1_000_000_000L + started.getNano())
        .isLessThan(end);
  }

  @ParameterizedTest
  @EnumSource(Protocol.class)
  void messagesAreCompressedAndHaveTheHeadersAndTheResourceThatAreSet(Protocol protocol)
      throws IOException {
    try (var collector = new OtlpCollector()) {
      served(collector, protocol);

      Map<String, List<String>> sent = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
      sent.putAll(collector.headers());
      assertThat(sent)
          .containsEntry("x-tenant", List.of("a"))
          .containsEntry(
              protocol == Protocol.GRPC ? "grpc-encoding" : "content-encoding", List.of("gzip"));
      assertThat(collector.resource())
          .containsEntry("service.name", "sluice")
          .containsKeys("service.version", "service.instance.id");
    }
  }

  @ParameterizedTest
  @EnumSource(Protocol.class)
  void metricsAreSentTimeAfterTime(Protocol protocol) throws IOException {
    try (var collector = new OtlpCollector();
        var server = RunningServer.start(settings(collector, protocol, OFTEN));
        var caller = new HttpCaller(server.port())) {
      Polling.await("two messages", () -> metric(caller, "sluice_metric_exports_total") >= 2);
      assertThat(metric(caller, "sluice_metric_export_failures_total")).isZero();
      assertThat(collector.metrics()).hasSizeGreaterThanOrEqualTo(2);
      assertThat(byName(collector.metrics().get(1))).containsKey("sluice_metric_exports_total");
    }
  }

  @ParameterizedTest
  @EnumSource(Protocol.class)
  void deadCollectorCostsOneLineAndNoAnswer(Protocol protocol) throws IOException {
    URI dead;
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      dead = URI.create("http://localhost:" + socket.getLocalPort());
    }
    try (var server = RunningServer.start(settings(dead, protocol, OFTEN));
        var caller = new HttpCaller(server.port())) {
      Polling.await(
          "two failures", () -> metric(caller, "sluice_metric_export_failures_total") >= 2);
      ask(caller);
      assertThat(metric(caller, "sluice_metric_exports_total")).isZero();
    }
    assertThat(logged())
        .containsExactly("metrics are not exported: the collector does not take them");
  }

  @ParameterizedTest
  @EnumSource(Protocol.class)
  void collectorThatRecoversIsLoggedOnceAndGetsWhatItMissed(Protocol protocol) throws IOException {
    try (var collector = new OtlpCollector()) {
      collector.answer(400);
      try (var server = RunningServer.start(settings(collector, protocol, OFTEN));
          var caller = new HttpCaller(server.port())) {
        ask(caller);
        Polling.await("a failure", () -> metric(caller, "sluice_metric_export_failures_total") > 0);
        collector.answer(200);
        Polling.await("a message", () -> metric(caller, "sluice_metric_exports_total") > 0);

        assertThat(byName(collector.metrics().getFirst()).get("sluice_requests_total"))
            .extracting(metric -> metric.getSum().getDataPoints(0).getAsDouble())
            .isEqualTo(1.0);
        assertThat(logged())
            .containsExactly(
                "metrics are not exported: the collector does not take them",
                "metrics are exported again");
      }
    }
  }

  @Test
  void spansAndMetricsNameTheSameServer() throws IOException {
    try (var spans = new OtlpCollector();
        var metrics = new OtlpCollector()) {
      SluiceConfig settings =
          RecordCopy.with(
              settings(metrics, Protocol.HTTP, NEVER),
              "observability.tracing.collector.endpoint",
              Optional.of(spans.address()));
      try (var server = RunningServer.start(settings);
          var caller = new HttpCaller(server.port())) {
        ask(caller);
      }
      assertThat(metrics.metrics()).hasSize(1);
      assertThat(spans.size()).isPositive();
      assertThat(metrics.resource()).isEqualTo(spans.resource());
    }
  }
}
