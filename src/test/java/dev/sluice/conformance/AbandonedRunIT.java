package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.ChildServer;
import dev.sluice.testing.LoopModel;
import dev.sluice.testing.LoopTurns;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.Polling;
import dev.sluice.testing.StepsCaller;
import dev.sluice.testing.StepsCaller.Outcome;
import dev.sluice.testing.StepsCaller.Protocol;
import dev.sluice.testing.StepsCaller.Request;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A server whose models are asked for runs that nothing can end: TensorFlow's loop, and an operator
 * of ONNX Runtime that compares each of its boxes with each other one.
 */
@Timeout(180)
@TestMethodOrder(OrderAnnotation.class)
class AbandonedRunIT {
  /** Length of runs that end by themselves, though long after they were abandoned. */
  private static final Duration LONG = Duration.ofSeconds(2);

  private static final long LONG_OPERATOR = 80_000;
  private static final long ENDLESS = 1_000_000_000_000L;
  private static final String BREAKER =
      "concurrency: 1\nbreaker: { hang: 100ms, probe_interval: 1s%s }\n";

  private static final List<String> PROTOCOLS =
      List.of("V2_REST", "EVENTS", "TFS_GRPC", "V2_STREAM", "GRPS_HTTP", "BRPC");

  @TempDir private static Path models;
  private static ChildServer server;
  private static StepsCaller caller;
  private static ExecutorService threads;
  private static long steps;
  private static int port;
  private static int kservePort;

  @BeforeAll
  static void start() throws IOException {
    for (String protocol : PROTOCOLS) {
      loop(protocol, "");
    }
    LoopModel.writeRow(models, "measured");
    loop("endless", ", abandoned_runs: 2");
    loop("unloaded", "");
    loop("kept", ", abandoned_runs: 0");
    operator("boxes");
    port = ChildServer.freePort();
    kservePort = ChildServer.freePort();
    Path settings = models.resolve("sluice.yml");
    Files.writeString(
        settings,
        """
        listeners:
          - address: localhost:%d
          - address: localhost:%d
            protocols: [kserve]
        models: { directory: %s, poll_interval: 100ms }
        """
            .formatted(port, kservePort, models));
    threads = Executors.newVirtualThreadPerTaskExecutor();
    server = ChildServer.start("serve", "--config=" + settings);
    for (String model : List.of("endless", "unloaded", "kept", "boxes", "measured")) {
      server.awaitModel(model + "/1");
    }
    caller = new StepsCaller(port, kservePort);
    steps = LoopTurns.lasting(LONG, caller, "measured");
  }

  private static void loop(String name, String more) throws IOException {
    LoopModel.writeRow(models, name);
    Files.writeString(models.resolve(name).resolve("model.yml"), BREAKER.formatted(more));
  }

  /** Boxes without an area are never left out, so each is compared with all before it. */
  private static void operator(String name) throws IOException {
    new OnnxModelWriter()
        .input("steps", OnnxModelWriter.INT64, "1")
        .output("done", OnnxModelWriter.INT64, "2")
        .integers("one", 1)
        .integers("four", 4)
        .nodeAlong(0, "Concat", "boxes_shape", "one", "steps", "four")
        .nodeAlong(0, "Concat", "scores_shape", "one", "one", "steps")
        .node("ConstantOfShape", "boxes", "boxes_shape")
        .node("ConstantOfShape", "scores", "scores_shape")
        .node("NonMaxSuppression", "selected", "boxes", "scores", "steps")
        .node("Shape", "done", "selected")
        .writeTo(Files.createDirectories(models.resolve(name).resolve("1")));
    Files.writeString(models.resolve(name).resolve("model.yml"), BREAKER.formatted(""));
  }

  @AfterAll
  static void stop() {
    if (caller != null) {
      caller.close();
    }
    server.close();
    threads.close();
  }

  private static Outcome ask(Protocol protocol, String model, long steps) {
    try (var own = new StepsCaller(port, kservePort)) {
      return own.ask(protocol, new Request(model, steps, 0));
    } catch (IOException e) {
      return new Outcome("broken", false, e.toString());
    }
  }

  private static boolean answers(String model) {
    try {
      return caller.ask(Protocol.V2_REST, new Request(model, 1, 0)).code().equals("200");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static int abandoned(String model) {
    String line = "sluice_model_abandoned_runs{model=\"" + model + "\",version=\"1\"} ";
    return caller
        .metrics()
        .lines()
        .filter(each -> each.startsWith(line))
        .mapToInt(each -> (int) Double.parseDouble(each.substring(line.length())))
        .findFirst()
        .orElse(0);
  }

  private static long lines(String text, String model) {
    return server.output().stream()
        .filter(line -> line.contains(text) && line.contains("model=" + model + "/1"))
        .count();
  }

  @Order(1)
  @ParameterizedTest
  @EnumSource(names = {"V2_REST", "EVENTS", "TFS_GRPC", "V2_STREAM", "GRPS_HTTP", "BRPC"})
  void callerOfARunThatDoesNotEndIsAnsweredAndTheModelGoesOnBesideIt(Protocol protocol) {
    String model = protocol.name();
    Polling.await("the model is there", () -> answers(model));
    Outcome refused = ask(protocol, model, steps);
    assertThat(refused.code())
        .matches("503.*|UNAVAILABLE|OK, error message|OK, 503|0, 503|500, error event");
    assertThat(refused.text()).contains("a run of model '" + model + "/1' has taken");
    Polling.await("another session is there", () -> answers(model));
    assertThat(abandoned(model)).isEqualTo(1);
    Polling.await("the run has ended", () -> abandoned(model) == 0);
    server.awaitLine(
        "a run that was abandoned has ended, and its session is closed model=" + model);
    assertThat(answers(model)).isTrue();
    assertThat(lines("a run that does not end is abandoned", model)).isEqualTo(1);
  }

  @Test
  @Order(2)
  void operatorThatCannotBeEndedIsLeftToItselfToo() {
    assertThat(ask(Protocol.V2_GRPC, "boxes", 3).code()).isEqualTo("OK");
    Outcome refused = ask(Protocol.V2_GRPC, "boxes", LONG_OPERATOR);
    assertThat(refused.code()).isEqualTo("UNAVAILABLE");
    Polling.await("another session is there", () -> answers("boxes"));
    assertThat(lines("a run that does not end is abandoned", "boxes")).isEqualTo(1);
    Polling.await("the run has ended", () -> abandoned("boxes") == 0);
    assertThat(answers("boxes")).isTrue();
  }

  @Test
  @Order(3)
  void modelThatMayAbandonNoRunStaysOutOfServiceUntilItsRunEnds() {
    CompletableFuture<Outcome> running =
        CompletableFuture.supplyAsync(() -> ask(Protocol.V2_REST, "kept", steps), threads);
    Polling.await("the breaker opens", () -> ask(Protocol.V2_REST, "kept", 1).code().equals("503"));
    assertThat(running.join().code()).isEqualTo("200");
    assertThat(lines("is abandoned", "kept")).isZero();
  }

  @Test
  @Order(4)
  void versionIsUnloadedThoughARunOfItNeverEnds() throws IOException {
    assertThat(ask(Protocol.TFS_REST, "unloaded", ENDLESS).code()).isEqualTo("503");
    try (Stream<Path> files = Files.walk(models.resolve("unloaded/1"))) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
    server.awaitLine("  unloaded model=unloaded/1");
  }

  @Test
  @Order(5)
  void moreRunsThanMayBeAbandonedKeepTheModelOutAndAllCallersAreAnswered() {
    for (int i = 1; i <= 2; i++) {
      assertThat(ask(Protocol.V2_REST, "endless", ENDLESS).code()).isEqualTo("503");
      Polling.await("another session is there", () -> answers("endless"));
      assertThat(abandoned("endless")).isEqualTo(i);
    }
    Outcome third = ask(Protocol.V2_REST, "endless", ENDLESS);
    assertThat(third.code()).isEqualTo("503");
    assertThat(third.text()).contains("does not end");
    server.awaitLine("breaker.abandoned_runs go on already");
    assertThat(abandoned("endless")).isEqualTo(2);
    Outcome later = ask(Protocol.V2_REST, "endless", 1);
    assertThat(later.code()).isEqualTo("503");
    assertThat(later.saysWhen()).isTrue();
    assertThat(caller.metrics())
        .contains("sluice_model_breaker_state{model=\"endless\",version=\"1\"} 2.0\n");
  }

  @Test
  @Order(6)
  void serverEndsWithoutWaitingForTheRunsThatGoOn() {
    long begun = System.nanoTime();
    server.terminate();
    assertThat(server.exitCode()).isZero();
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(12));
  }
}
