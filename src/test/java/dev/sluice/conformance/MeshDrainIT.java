package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.SluiceConfig;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.testing.Envoy;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.MeshExample;
import dev.sluice.testing.Polling;
import dev.sluice.testing.RecordCopy;
import dev.sluice.testing.RunGate;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two servers behind a real Envoy with the configuration of the page about meshes, when the first
 * one stops or is gone. The model {@code gated} has a version in the first server alone.
 */
class MeshDrainIT {
  private static final Buffer ROW =
      Buffer.buffer(
          """
          {"inputs":[{"name":"x","datatype":"FP32","shape":[2],"data":[1,2]}]}\
          """);
  private static final String INFER = "/v2/models/half_plus_two/infer";
  private static final String GATED = "/v2/models/gated/infer";
  private static final String HEALTHY = "cluster.servers.membership_healthy";
  private static final String OUTLIERS = "cluster.servers.outlier_detection.";

  @TempDir private Path folder;
  private Path models;
  private RunGate gate;
  private RunningServer second;

  @BeforeAll
  static void install() throws Exception {
    Envoy.install();
  }

  @BeforeEach
  void open() throws IOException {
    models = folder.resolve("models");
    TestModels.copy(TestModels.sample("half_plus_two", "1"), models.resolve("half_plus_two/1"));
    gate = new RunGate(models.resolve("gated/1"));
    Path others = folder.resolve("others");
    TestModels.copy(TestModels.sample("half_plus_two", "1"), others.resolve("half_plus_two/1"));
    Files.createDirectories(others.resolve("gated"));
    second = serve(others, 0, Duration.ZERO);
  }

  @AfterEach
  void nothingIsLeftOpen() {
    gate.close();
    second.close();
  }

  private static RunningServer serve(Path models, int port, Duration grace) {
    SluiceConfig settings =
        RunningServer.settings(
            ListenerConfig.DEFAULT.withPort(port), RunningServer.trusting(models, Duration.ZERO));
    return RunningServer.start(RecordCopy.with(settings, "process.shutdown.gracePeriod", grace));
  }

  private Envoy start(String config) {
    return Envoy.start(folder, config).awaitHealthy("servers", 2);
  }

  /** Envoy asks seldom about servers that get no requests, as these at first. */
  private String example(RunningServer first) {
    return MeshExample.of(first, second)
        .config()
        .replace("interval: 1s", "interval: 1s, no_traffic_interval: 1s");
  }

  private static void requireAnswered(HttpCaller caller) {
    Answer answer = caller.send("POST", INFER, ROW);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
  }

  /** What runs in a server that stops, which it may end after its clients are with the other. */
  private void stop(RunningServer first, Envoy envoy, Runnable meanwhile) {
    // Both have a thread of their own: a small machine has one for all that is asynchronous.
    try (var caller = new HttpCaller(envoy.port("mesh"));
        var other = new HttpCaller(envoy.port("mesh"))) {
      var running =
          CompletableFuture.supplyAsync(
              () -> other.send("POST", GATED, ROW), Thread::startVirtualThread);
      gate.awaitRun();
      var stopped = CompletableFuture.runAsync(first::close, Thread::startVirtualThread);
      Polling.await(
          "Envoy sees that one stops",
          () -> {
            requireAnswered(caller);
            return envoy.stat(HEALTHY) == 1;
          });
      assertThat(running).isNotDone();

      meanwhile.run();
      gate.open();

      assertThat(running.join().status()).isEqualTo(200);
      while (!stopped.isDone()) {
        requireAnswered(caller);
      }
      stopped.join();
      requireAnswered(caller);
    }
  }

  @Test
  void serverThatStopsAnswersWhatRunsAndLosesNoRequestWithoutAGracePeriod() {
    RunningServer first = serve(models, 0, Duration.ZERO);
    try (Envoy envoy = start(example(first))) {
      stop(first, envoy, () -> {});
    }
  }

  @Test
  void inTheGracePeriodTheServerStillAnswersWhileEnvoyHasLeftIt() {
    RunningServer first = serve(models, 0, Duration.ofMinutes(10));
    try (Envoy envoy = start(example(first));
        var direct = new HttpCaller(first.port())) {
      stop(
          first,
          envoy,
          () -> {
            Answer ready = direct.send("GET", "/v2/health/ready", Buffer.buffer());
            assertThat(ready.status()).isEqualTo(503);
            requireAnswered(direct);
            first.stopNow();
          });
    }
  }

  @Test
  void serverThatTakesNoConnectionsIsTakenOutWithoutAHealthCheckAndComesBack() {
    RunningServer first = serve(models, 0, Duration.ZERO);
    gate.open();
    int port = first.port();
    String config =
        MeshExample.of(first, second)
            .config()
            .replace("interval: 1s", "interval: 3600s, no_traffic_interval: 3600s")
            .replace(
                "consecutive_local_origin_failure: 5",
                "consecutive_local_origin_failure: 5, base_ejection_time: 0.1s, interval: 0.1s"
                    .replace(", ", "\n        "));
    try (Envoy envoy = start(config);
        var caller = new HttpCaller(envoy.port("mesh"))) {
      first.close();
      Polling.await(
          "the server is taken out",
          () -> {
            requireAnswered(caller);
            return envoy.stat(OUTLIERS + "ejections_enforced_total") > 0;
          });
      try (RunningServer again = serve(models, port, Duration.ZERO)) {
        assertThat(again.port()).isEqualTo(port);
        Polling.await("it is back", () -> caller.send("POST", GATED, ROW).status() == 200);
        assertThat(envoy.stat("cluster.servers.health_check.failure")).isZero();
      }
    }
  }
}
