package dev.sluice.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.boot.warmup.CompilerActivity;
import dev.sluice.boot.warmup.RefusedCalls;
import dev.sluice.boot.warmup.SustainedCalls;
import dev.sluice.boot.warmup.WarmUpCalls;
import dev.sluice.boot.warmup.WarmUpCalls.Connector;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.model.ListedModel;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.config.server.ShutdownConfig;
import dev.sluice.testing.ChildServer;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.Niceness;
import dev.sluice.testing.Polling;
import dev.sluice.testing.PrometheusPage;
import dev.sluice.testing.RecordCopy;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a server does before it is ready, so that no first call waits for classes to be loaded. */
class ProtocolWarmUpIT {
  /** Without it, the first calls of all protocols load more than a thousand. */
  private static final int FEW = 150;

  private static final String NAME = "echo";
  private static final Path MODEL = TestModels.sample("half_plus_two", "");

  @TempDir private Path folder;

  @Test
  void theFirstCallsOfAllProtocolsLoadFewClasses() throws IOException {
    int port = ChildServer.freePort();
    Path loaded = folder.resolve("classes.txt");
    try (var server =
        ChildServer.start(
            List.of("-Xlog:class+load:file=" + loaded),
            "serve",
            "--listen",
            "localhost:" + port,
            "--set",
            "models.list.echo=" + MODEL,
            "--models",
            Files.createDirectory(folder.resolve("models")).toString())) {
      server.awaitModel("echo/2");
      long before = lines(loaded);
      assertThat(call(ListenerConfig.DEFAULT, port)).isEmpty();
      assertThat(lines(loaded) - before).isLessThan(FEW);
    }
  }

  @Test
  void aCallThatIsNotAnsweredWellIsSaid() throws IOException {
    try (var server = RunningServer.start(folder)) {
      assertThat(call(ListenerConfig.DEFAULT, server.port()))
          .hasSize(7)
          .first()
          .asString()
          .isEqualTo("/v1/models/echo:predict: HTTP/1.1 404 Not Found");
    }
  }

  @Test
  void theModelOfEachRuntimeAnswersManyCallsOfEveryProtocolAtATime() throws Exception {
    built("onnx", "echo.onnx");
    built("tensorflow", "saved_model.pbtxt");
    try (var server = RunningServer.start(folder);
        var caller = new HttpCaller(server.port())) {
      var calls = new WarmUpCalls(ListenerConfig.DEFAULT, List.of("onnx", "tensorflow"));
      Connector connector =
          () -> SocketChannel.open(new InetSocketAddress("localhost", server.port()));
      assertThat(calls.send(connector)).isEmpty();
      double before = requests(caller, "status", "OK");
      try (var sustained = SustainedCalls.open(calls, connector)) {
        sustained.send();
        sustained.send();
      }
      assertThat(requests(caller, "status", "OK")).isGreaterThan(before + 500);
      assertThat(requests(caller)).isEqualTo(requests(caller, "status", "OK"));
    }
  }

  private void built(String model, String file) throws IOException {
    try (var content = WarmUpServer.class.getResourceAsStream(file)) {
      Path version = Files.createDirectories(folder.resolve(model).resolve("1"));
      Files.copy(Objects.requireNonNull(content, file), version.resolve(file));
    }
  }

  private static double requests(HttpCaller caller, String... labels) {
    String page = caller.send("GET", "/metrics", Buffer.buffer()).text();
    return new PrometheusPage(page).sum("sluice_requests_total", labels);
  }

  @Test
  void itIsOverWhenTheCompilersHaveNoMoreToDo() {
    var compilers = new CompilerActivity(Duration.ofHours(1));
    assertThat(compilers.rest()).isFalse();
    Polling.await("the compilers rest", compilers::rest);
  }

  @Test
  void itIsOverAfterItsTimeInAnyCase() {
    assertThat(new CompilerActivity(Duration.ZERO).rest()).isTrue();
  }

  @Test
  void metricsAndListsOfModelsShowNothingOfIt() throws Exception {
    try (var server = RunningServer.start(folder);
        var caller = new HttpCaller(server.port())) {
      String page = caller.send("GET", "/metrics", Buffer.buffer()).text();
      assertThat(page).doesNotContain("echo");
      assertThat(page.lines().filter(line -> line.startsWith("sluice_requests_total{"))).isEmpty();
      assertThat(page.lines().filter(line -> line.startsWith(":tensorflow:serving:request_count{")))
          .isEmpty();
      assertThat(caller.send("POST", "/v2/repository/index", Buffer.buffer()).text())
          .isEqualTo("[]");
    }
  }

  @Test
  void theServerIsNotReadyBeforeItIsWarmButAnswersAndCanBeStopped() throws Exception {
    try (var server = SluiceServer.start(warmingUpFor(Duration.ofHours(1)));
        var caller = new HttpCaller(server.port())) {
      server.reconciled().toCompletionStage().toCompletableFuture().join();
      assertThat(caller.send("GET", "/v2/health/ready", Buffer.buffer()).status()).isEqualTo(503);
      assertThat(call(ListenerConfig.DEFAULT, server.port())).isEmpty();
      assertThat(server.control().ready()).isFalse();
    }
  }

  @Test
  void theServerIsReadyOnceItIsWarm() throws Exception {
    try (var server =
        (SluiceServer) SluiceServer.startSettled(warmingUpFor(Duration.ofMillis(50)))) {
      Polling.await("ready", () -> server.control().ready());
    }
  }

  @Test
  void theLogShowsNothingOfTheRequestsThatAreRefusedMeanwhile() throws IOException {
    int port = ChildServer.freePort();
    try (var server =
            ChildServer.start(
                List.of(),
                "serve",
                "--listen",
                "localhost:" + port,
                "--set",
                "startup.warm_up=1s",
                "--set",
                "models.list.echo=" + MODEL,
                "--models",
                Files.createDirectory(folder.resolve("models")).toString());
        var caller = new HttpCaller(port)) {
      Polling.await(
          "ready", () -> caller.send("GET", "/v2/health/ready", Buffer.buffer()).status() == 200);
      assertThat(server.output())
          .noneMatch(line -> line.contains("client=") || line.contains("warmed up"));
    }
  }

  @Test
  void compilersGiveWayToRequestsOnceTheServerIsReady() throws IOException {
    int port = ChildServer.freePort();
    Path models = Files.createDirectory(folder.resolve("models"));
    try (var server =
            ChildServer.start("serve", "--listen", "localhost:" + port, "--models", "" + models);
        var caller = new HttpCaller(port)) {
      Polling.await(
          "ready", () -> caller.send("GET", "/v2/health/ready", Buffer.buffer()).status() == 200);
      int others = Niceness.of(server.pid(), "vert.x-eventloo").getFirst();
      assertThat(Niceness.of(server.pid(), "CompilerThre")).isNotEmpty().containsOnly(others + 5);
    }
  }

  @Test
  void whatIsRefusedIsNoFaultOfTheServerAndNothingElseEnds() throws Exception {
    try (var server = RunningServer.start(warmingUpFor(Duration.ZERO));
        var caller = new HttpCaller(server.port())) {
      RefusedCalls.send(
          new WarmUpCalls(ListenerConfig.DEFAULT, List.of(NAME)),
          () -> SocketChannel.open(new InetSocketAddress("localhost", server.port())));

      var page = new PrometheusPage(caller.send("GET", "/metrics", Buffer.buffer()).text());
      assertThat(page.sum("sluice_requests_total", "status", "INVALID_ARGUMENT")).isPositive();
      assertThat(page.sum("sluice_requests_total", "status", "INTERNAL")).isZero();
      assertThat(call(ListenerConfig.DEFAULT, server.port())).isEmpty();
    }
  }

  /** A server whose model has the name that is asked for. */
  private static SluiceConfig warmingUpFor(Duration time) {
    var models = Map.of(NAME, ListedModel.in(MODEL));
    SluiceConfig config =
        RunningServer.settings(
            RunningServer.LISTENER, RepositoryConfig.of(DesiredModels.only(models), Duration.ZERO));
    return RecordCopy.with(
        RecordCopy.with(config, "process.startup.warmUp", time),
        "process.shutdown",
        new ShutdownConfig(Duration.ZERO, Duration.ofSeconds(5)));
  }

  private static List<String> call(ListenerConfig listener, int port) throws IOException {
    return new WarmUpCalls(listener, List.of(NAME))
        .send(() -> SocketChannel.open(new InetSocketAddress("localhost", port)));
  }

  private static long lines(Path file) throws IOException {
    try (Stream<String> lines = Files.lines(file)) {
      return lines.count();
    }
  }
}
