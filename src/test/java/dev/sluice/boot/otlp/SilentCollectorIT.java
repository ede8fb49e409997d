package dev.sluice.boot.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.config.otlp.CollectorConfig;
import dev.sluice.config.otlp.CollectorConfig.Protocol;
import dev.sluice.config.otlp.MetricsExportConfig;
import dev.sluice.config.otlp.TracingConfig;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.Polling;
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
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** A collector whose connections come about, and on which it never says anything. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class SilentCollectorIT {
  private static final Buffer ROW = Buffer.buffer("{\"instances\":[1.0]}");
  private static final String TARGET = "/v1/models/half_plus_two:predict";

  @TempDir private Path models;
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(CollectorWatch.class);

  @BeforeEach
  void listen() throws IOException {
    TestModels.copy(TestModels.sample("half_plus_two", "1"), models.resolve("half_plus_two/1"));
    log.list = new CopyOnWriteArrayList<>();
    log.start();
    logger.addAppender(log);
  }

  @AfterEach
  void listenNoMore() {
    logger.detachAppender(log);
  }

  /** The system accepts for it: it need not do so itself. */
  private static ServerSocket silent() throws IOException {
    return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  private RunningServer serve(ServerSocket silent, Protocol protocol) {
    URI address = URI.create("http://localhost:" + silent.getLocalPort());
    var collector = new CollectorConfig(Optional.of(address), protocol, List.of());
    TracingConfig tracing =
        RecordCopy.with(
            RecordCopy.with(TracingConfig.DEFAULT, "collector", collector), "samplingRatio", 1.0);
    var metrics = new MetricsExportConfig(collector, Duration.ofSeconds(1));
    return RunningServer.start(
        RecordCopy.with(
            RecordCopy.with(RunningServer.settings(models), "observability.tracing", tracing),
            "observability.metricsExport",
            metrics));
  }

  private static void answers(HttpCaller caller) {
    assertThat(caller.send("POST", TARGET, ROW).status()).isEqualTo(200);
  }

  /** What is logged of this collector: others of other tests may be waited for still. */
  private List<String> lines(ServerSocket silent) {
    return log.list.stream()
        .filter(
            event -> String.valueOf(event.getKeyValuePairs()).contains(":" + silent.getLocalPort()))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  @ParameterizedTest
  @EnumSource(Protocol.class)
  void whatItDoesNotTakeIsDroppedAndSaidOnce(Protocol protocol) throws IOException {
    try (var silent = silent();
        var server = serve(silent, protocol);
        var caller = new HttpCaller(server.port())) {
      Polling.await(
          "two lines",
          () -> {
            answers(caller);
            return lines(silent).size() == 2;
          });
      String page = caller.send("GET", "/metrics", Buffer.buffer()).text();
      assertThat(page)
          .contains("sluice_spans_exported_total 0.0\n", "sluice_metric_exports_total 0.0\n")
          .doesNotContain("sluice_spans_dropped_total 0.0\n")
          .doesNotContain("sluice_metric_export_failures_total 0.0\n");
      assertThat(lines(silent))
          .containsExactlyInAnyOrder(
              "spans are not exported: the collector does not take them",
              "metrics are not exported: the collector does not take them");
      answers(caller);
    }
  }

  @ParameterizedTest
  @EnumSource(Protocol.class)
  void aServerThatStopsDoesNotWaitForIt(Protocol protocol) throws IOException {
    List<Throwable> uncaught = new CopyOnWriteArrayList<>();
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((_, failure) -> uncaught.add(failure));
    try (var silent = silent()) {
      long begun;
      try (var server = serve(silent, protocol);
          var caller = new HttpCaller(server.port())) {
        answers(caller);
        begun = System.nanoTime();
      }
      assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
      Polling.await("the last messages are given up", () -> !exports());
      assertThat(uncaught).isEmpty();
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
  }

  /** Returns whether a thread of a server's exporters goes on. */
  private static boolean exports() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .anyMatch(name -> name.equals("last-metrics") || name.startsWith("BatchSpanProcessor"));
  }

  /** One whose peer has vanished looks the same. */
  @ParameterizedTest
  @EnumSource(Protocol.class)
  void aConnectionOnWhichItSaysNothingIsGivenUpForAnother(Protocol protocol) throws IOException {
    try (var silent = silent();
        var server = serve(silent, protocol);
        var caller = new HttpCaller(server.port())) {
      silent.setSoTimeout(60_000);
      answers(caller);
      for (int connections = 0; connections < 4; connections++) {
        assertThat(silent.accept().getInputStream().read()).isNotNegative();
      }
    }
  }
}
