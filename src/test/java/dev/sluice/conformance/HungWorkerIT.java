package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.ChildServer;
import dev.sluice.testing.LoopModel;
import dev.sluice.testing.Polling;
import dev.sluice.testing.StepsCaller;
import dev.sluice.testing.StepsCaller.Outcome;
import dev.sluice.testing.StepsCaller.Protocol;
import dev.sluice.testing.StepsCaller.Request;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server whose models have several workers, some of them in runs that nothing can end. */
@Timeout(180)
@TestMethodOrder(OrderAnnotation.class)
class HungWorkerIT {
  private static final long ENDLESS = 1_000_000_000_000L;
  private static final String BREAKER =
      "concurrency: %d\nbreaker: { hang: 100ms, probe_interval: 1s, abandoned_runs: %d }\n";

  @TempDir private static Path models;
  private static ChildServer server;
  private static StepsCaller caller;
  private static ExecutorService threads;
  private static int port;

  @BeforeAll
  static void start() throws IOException {
    model("two", BREAKER.formatted(2, 1));
    model("four", BREAKER.formatted(4, 1));
    model("kept", BREAKER.formatted(2, 0));
    model("patient", "concurrency: 2\n");
    port = ChildServer.freePort();
    threads = Executors.newVirtualThreadPerTaskExecutor();
    server =
        ChildServer.start(
            "serve",
            "--models=" + models,
            "--listen=localhost:" + port,
            "--set=shutdown.drain_timeout=2s");
    for (String model : List.of("two", "four", "kept", "patient")) {
      server.awaitModel(model + "/1");
    }
    caller = new StepsCaller(port, port);
  }

  private static void model(String name, String settings) throws IOException {
    LoopModel.writeRow(models, name);
    Files.writeString(models.resolve(name).resolve("model.yml"), settings);
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
    try (var own = new StepsCaller(port, port)) {
      return own.ask(protocol, new Request(model, steps, 0));
    } catch (IOException e) {
      return new Outcome("broken", false, e.toString());
    }
  }

  private static String tiny(Protocol protocol, String model) {
    try {
      return caller.ask(protocol, new Request(model, 1, 0)).code();
    } catch (IOException e) {
      return e.toString();
    }
  }

  private static Future<Outcome> begin(Protocol protocol, String model) {
    return threads.submit(() -> ask(protocol, model, ENDLESS));
  }

  private static int metric(String name, String model) {
    String line = "sluice_model_" + name + "{model=\"" + model + "\",version=\"1\"} ";
    return caller
        .metrics()
        .lines()
        .filter(each -> each.startsWith(line))
        .mapToInt(each -> (int) Double.parseDouble(each.substring(line.length())))
        .findFirst()
        .orElse(-1);
  }

  @Order(1)
  @ParameterizedTest
  @CsvSource({"two, V2_REST, 2", "four, V2_GRPC, 4"})
  void anEndlessRunIsAbandonedWhileTheOtherWorkersAnswerEveryRequest(
      String model, Protocol protocol, int workers) throws Exception {
    String good = tiny(protocol, model);
    assertThat(good).isIn("200", "OK");
    Future<Outcome> endless = begin(protocol, model);
    List<String> meanwhile = new ArrayList<>();
    Polling.await(
        "it is abandoned",
        () -> {
          meanwhile.add(tiny(protocol, model));
          return endless.isDone();
        });
    assertThat(endless.get().code()).isIn("503", "UNAVAILABLE");
    assertThat(endless.get().text()).contains("and does not end");
    assertThat(meanwhile).containsOnly(good);
    Polling.await("another worker has its place", () -> metric("busy_workers", model) == 0);
    assertThat(metric("abandoned_runs", model)).isEqualTo(1);
    assertThat(metric("workers", model)).isEqualTo(workers);
    assertThat(metric("breaker_state", model)).isZero();
  }

  @Test
  @Order(2)
  void theBreakerOpensWhenTheLastWorkerHangs() throws Exception {
    Future<Outcome> first = begin(Protocol.V2_REST, "kept");
    Polling.await("it runs", () -> metric("busy_workers", "kept") == 1);
    // Long enough for the run to hang by the model's settings.
    Polling.await(
        "it hangs",
        () -> {
          assertThat(tiny(Protocol.V2_REST, "kept")).isEqualTo("200");
          return longestRunMillis("kept") > 1_500;
        });
    assertThat(metric("breaker_state", "kept")).isZero();
    Future<Outcome> second = begin(Protocol.V2_GRPC, "kept");
    Polling.await("it is open", () -> metric("breaker_state", "kept") == 2);
    assertThat(tiny(Protocol.V2_REST, "kept")).isEqualTo("503");
    assertThat(tiny(Protocol.V2_GRPC, "kept")).isEqualTo("UNAVAILABLE");
    assertThat(first.isDone() || second.isDone()).isFalse();
  }

  private static double longestRunMillis(String model) {
    String line = "sluice_model_longest_run_seconds{model=\"" + model + "\",version=\"1\"} ";
    return caller
        .metrics()
        .lines()
        .filter(each -> each.startsWith(line))
        .mapToDouble(each -> 1000 * Double.parseDouble(each.substring(line.length())))
        .findFirst()
        .orElse(0);
  }

  @Test
  @Order(3)
  void theServerEndsInTimeThoughOneOfTwoWorkersIsInAnEndlessRun() throws Exception {
    Future<Outcome> endless = begin(Protocol.V2_REST, "patient");
    Polling.await("it runs", () -> metric("busy_workers", "patient") == 1);
    assertThat(tiny(Protocol.V2_GRPC, "patient")).isEqualTo("OK");
    server.terminate();
    assertThat(endless.get().code()).isEqualTo("503");
    assertThat(endless.get().text()).contains("the server is stopping");
    assertThat(server.exitCode()).isZero();
  }
}
