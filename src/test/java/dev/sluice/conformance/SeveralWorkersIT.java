package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.LoopModel;
import dev.sluice.testing.LoopTurns;
import dev.sluice.testing.Polling;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.StepsCaller;
import dev.sluice.testing.StepsCaller.Outcome;
import dev.sluice.testing.StepsCaller.Protocol;
import dev.sluice.testing.StepsCaller.Request;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Deadlines, inline execution, statistics and reloads of models with several workers. */
@Timeout(180)
class SeveralWorkersIT {
  private static final int CALLERS = 8;
  private static final int REQUESTS = 25;

  private static final Duration LONG = Duration.ofSeconds(3);

  @TempDir private static Path models;
  private static long blocksBefore;
  private static RunningServer server;
  private static StepsCaller caller;
  private static HttpCaller http;
  private static ExecutorService threads;
  private static long steps;

  @BeforeAll
  static void start() throws IOException {
    for (String name : List.of("deadline", "counted", "reloaded")) {
      model(name, "concurrency: 2\n");
    }
    model("counted4", "concurrency: 4\n");
    LoopModel.writeRow(models, "measured");
    model("inline", "concurrency: 2\ninline_limit: 1ms\n");
    blocksBefore = TensorMemory.openBlocks();
    server = RunningServer.start(models);
    caller = new StepsCaller(server.port(), server.port());
    steps = LoopTurns.lasting(LONG, caller, "measured");
    http = new HttpCaller(server.port());
    threads = Executors.newVirtualThreadPerTaskExecutor();
  }

  private static void model(String name, String settings) throws IOException {
    LoopModel.writeRow(models, name);
    settings(name, settings);
  }

  private static void settings(String model, String text) throws IOException {
    Files.writeString(models.resolve(model).resolve("model.yml"), text);
  }

  @AfterAll
  static void nothingIsLeftOpen() {
    threads.close();
    caller.close();
    http.close();
    server.close();
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore);
  }

  private static Outcome ask(Protocol protocol, Request request) throws IOException {
    try (var own = new StepsCaller(server.port(), server.port())) {
      return own.ask(protocol, request);
    }
  }

  private static Future<Outcome> begin(Protocol protocol, String model, int timeoutMillis) {
    Future<Outcome> running =
        threads.submit(() -> ask(protocol, new Request(model, steps, timeoutMillis)));
    Polling.await(
        "it runs", () -> shows("sluice_model_busy_workers", model, 1) || running.isDone());
    return running;
  }

  private static boolean shows(String metric, String model, int value) {
    String line = metric + "{model=\"" + model + "\",version=\"1\"} " + (double) value;
    return caller.metrics().lines().anyMatch(line::equals);
  }

  private static List<String> tinyUntil(Protocol protocol, String model, BooleanSupplier ends)
      throws IOException {
    List<String> codes = new ArrayList<>();
    do {
      codes.add(caller.ask(protocol, new Request(model, 1, 0)).code());
    } while (!ends.getAsBoolean());
    return codes;
  }

  @ParameterizedTest
  @CsvSource({"V2_REST, 504", "TFS_REST, 504", "V2_GRPC, DEADLINE_EXCEEDED"})
  void aDeadlineEndsTheWaitForOneRunAndTheOtherWorkerAnswersAllTheTime(
      Protocol protocol, String code) throws Exception {
    Polling.await("it rests", () -> shows("sluice_model_busy_workers", "deadline", 0));
    String good = ask(protocol, new Request("deadline", 1, 0)).code();
    Future<Outcome> late = begin(protocol, "deadline", 300);
    assertThat(tinyUntil(protocol, "deadline", late::isDone)).containsOnly(good);
    assertThat(late.get().code()).isEqualTo(code);
    assertThat(caller.ask(protocol, new Request("deadline", 1, 0)).code()).isEqualTo(good);
  }

  @Test
  void eventLoopsRunWhatIsShortWhileAnotherWorkerIsInALongRun() throws Exception {
    // Nothing is known of its runs yet, so no event loop runs the first one.
    Future<Outcome> running = begin(Protocol.V2_REST, "inline", 0);
    List<String> codes = new ArrayList<>();
    while (codes.size() < REQUESTS) {
      codes.addAll(tinyUntil(Protocol.V2_GRPC, "inline", () -> true));
      codes.addAll(tinyUntil(Protocol.V2_REST, "inline", () -> true));
    }
    assertThat(running.isDone()).isFalse();
    assertThat(codes).containsOnly("OK", "200");
    assertThat(running.get().code()).isEqualTo("200");
  }

  @ParameterizedTest
  @ValueSource(strings = {"counted", "counted4"})
  void statisticsAreTheSumsOverAllWorkers(String model) throws Exception {
    JsonObject before = statistics(model);
    List<Future<List<String>>> asked =
        IntStream.range(0, CALLERS).mapToObj(_ -> threads.submit(() -> many(model))).toList();
    for (Future<List<String>> codes : asked) {
      assertThat(codes.get()).hasSize(REQUESTS).containsOnly("200");
    }
    JsonObject after = statistics(model);
    assertThat(grown("inference_count", before, after)).isEqualTo(CALLERS * REQUESTS);
    assertThat(grown("execution_count", before, after)).isEqualTo(CALLERS * REQUESTS);
    assertThat(successes(after) - successes(before)).isEqualTo(CALLERS * REQUESTS);
  }

  private static List<String> many(String model) throws IOException {
    try (var own = new StepsCaller(server.port(), server.port())) {
      List<String> codes = new ArrayList<>();
      for (int i = 0; i < REQUESTS; i++) {
        codes.add(own.ask(Protocol.V2_REST, new Request(model, 1, 0)).code());
      }
      return codes;
    }
  }

  private static JsonObject statistics(String model) {
    String text = http.send("GET", "/v2/models/" + model + "/stats", Buffer.buffer()).text();
    return new JsonObject(text).getJsonArray("model_stats").getJsonObject(0);
  }

  private static long grown(String count, JsonObject before, JsonObject after) {
    return number(after, count) - number(before, count);
  }

  private static long successes(JsonObject statistics) {
    JsonObject success = statistics.getJsonObject("inference_stats").getJsonObject("success");
    return number(success, "count");
  }

  private static long number(JsonObject object, String name) {
    return Long.parseLong(String.valueOf(object.getValue(name, 0)));
  }

  @Test
  void aReloadDuringALongRunLosesNeitherItsAnswerNorOthers() throws Exception {
    Future<Outcome> running = begin(Protocol.V2_GRPC, "reloaded", 0);
    settings("reloaded", "concurrency: 3\n");
    List<String> meanwhile = tinyUntil(Protocol.V2_REST, "reloaded", SeveralWorkersIT::reloaded);
    assertThat(meanwhile).containsOnly("200");
    assertThat(running.get().code()).isEqualTo("OK");
    assertThat(tinyUntil(Protocol.V2_REST, "reloaded", () -> true)).containsOnly("200");
  }

  /** A file is read when it has not changed between two looks. */
  private static boolean reloaded() {
    server.reload();
    return shows("sluice_model_workers", "reloaded", 3);
  }
}
