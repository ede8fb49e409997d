package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.LoopModel;
import dev.sluice.testing.Polling;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.StepModels;
import dev.sluice.testing.StepsCaller;
import dev.sluice.testing.StepsCaller.Outcome;
import dev.sluice.testing.StepsCaller.Protocol;
import dev.sluice.testing.StepsCaller.Request;
import dev.sluice.testing.TestModels;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Models of which several workers run one session, by their settings or by default. */
@Timeout(180)
class ConcurrencyIT {
  private static final int CALLERS = 8;
  private static final int COUNTS = 40;
  private static final int RELOADS = 20;

  /** Turns of a run that takes seconds on most machines. */
  private static final long LONG = 500_000;

  /** Turns of a run that no machine has done before a few tiny ones, if these need not wait. */
  private static final long LONGEST = 16 * LONG;

  private static final String SUM =
      """
      {"inputs":[{"name":"INPUT0","datatype":"INT32","shape":[1,16],\
      "data":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]},\
      {"name":"INPUT1","datatype":"INT32","shape":[1,16],\
      "data":[9,8,7,6,5,4,3,2,1,0,1,2,3,4,5,6]}]}\
      """;

  @TempDir private static Path models;
  private static long blocksBefore;
  private static RunningServer server;
  private static HttpCaller caller;
  private static ExecutorService threads;

  @BeforeAll
  static void start() throws IOException {
    TestModels.copy(TestModels.savedModel("counter", "00000123"), models.resolve("counter/1"));
    settings("counter", "warmup: false\nconcurrency: 4\n");
    LoopModel.writeRow(models, "loop");
    settings("loop", "concurrency: 2\n");
    LoopModel.writeRow(models, "open");
    Path decoder = StepModels.decoder(models, "decoder", "").resolve("model.yml");
    Files.writeString(decoder, "concurrency: 4\n" + Files.readString(decoder));
    TestModels.copy(TestModels.sample("addsub", "1"), models.resolve("sum/1"));
    settings("sum", "concurrency: 4\n");
    blocksBefore = TensorMemory.openBlocks();
    server = RunningServer.start(models);
    caller = new HttpCaller(server.port());
    threads = Executors.newVirtualThreadPerTaskExecutor();
  }

  private static void settings(String model, String text) throws IOException {
    Files.writeString(models.resolve(model).resolve("model.yml"), text);
  }

  @AfterAll
  static void nothingIsLeftOpen() {
    threads.close();
    caller.close();
    server.close();
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore);
  }

  /** What so many callers got, each by connections of its own. */
  private static <T> List<T> all(Callable<List<T>> each) throws Exception {
    List<Future<List<T>>> asked =
        IntStream.range(0, CALLERS).mapToObj(_ -> threads.submit(each)).toList();
    List<T> all = new ArrayList<>();
    for (Future<List<T>> one : asked) {
      all.addAll(one.get());
    }
    return all;
  }

  private static List<String> ask(int times, String path, String body) {
    try (var own = new HttpCaller(server.port())) {
      return IntStream.range(0, times)
          .mapToObj(_ -> own.post(path, body))
          .map(answer -> answer.status() + " " + answer.text())
          .toList();
    }
  }

  private static boolean shows(String metric, String model, int value) {
    String line = metric + "{model=\"" + model + "\",version=\"1\"} " + (double) value;
    return caller.send("GET", "/metrics", Buffer.buffer()).text().lines().anyMatch(line::equals);
  }

  @Test
  void aVariableIsTheSameForAllWorkersOfASession() throws Exception {
    String path = "/v1/models/counter:predict";
    String body = "{\"signature_name\":\"incr_counter_by\",\"inputs\":{\"delta\":1}}";
    assertThat(all(() -> ask(COUNTS / CALLERS, path, body)))
        .hasSize(COUNTS)
        .allMatch(answer -> answer.startsWith("200 "));
    // An answer of this model shows its variable as it is when it is read, maybe after another run.
    assertThat(ask(1, path, body)).containsExactly("200 {\"outputs\":%d.0}".formatted(COUNTS + 1));
  }

  private static Outcome longRun(Protocol protocol, String model, long turns) throws IOException {
    try (var own = new StepsCaller(server.port(), server.port())) {
      return own.ask(protocol, new Request(model, turns, 0));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"V2_REST", "TFS_GRPC", "V2_GRPC", "V2_STREAM", "GRPS_HTTP", "BRPC"})
  void tinyRequestsAreAnsweredWhileALongOneRuns(Protocol protocol) throws Exception {
    assertThat(shows("sluice_model_workers", "loop", 2)).isTrue();
    askBesideALongRun(protocol, "loop");
  }

  @ParameterizedTest
  @EnumSource(names = {"V2_REST", "V2_GRPC"})
  void tinyRequestsAreAnsweredWhileALongOneRunsThoughNoSettingSaysSo(Protocol protocol)
      throws Exception {
    assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "a core is free beside a run");
    askBesideALongRun(protocol, "open");
    assertThat(shows("sluice_model_workers", "open", 2)).isTrue();
  }

  private static void askBesideALongRun(Protocol protocol, String model) throws Exception {
    boolean beside = false;
    for (long turns = LONG; turns <= LONGEST && !beside; turns *= 2) {
      beside = areAnsweredBeside(turns, protocol, model);
    }
    assertThat(beside).as("tiny requests end before a long run").isTrue();
  }

  /** Returns whether the long run has not ended when the last tiny request is answered. */
  private static boolean areAnsweredBeside(long turns, Protocol protocol, String model)
      throws Exception {
    boolean beside;
    try (var own = new StepsCaller(server.port(), server.port())) {
      var one = new Request(model, 1, 0);
      Outcome tiny = own.ask(protocol, one);
      Future<Outcome> running = threads.submit(() -> longRun(protocol, model, turns));
      Polling.await(
          "it runs", () -> running.isDone() || shows("sluice_model_busy_workers", model, 1));
      for (int i = 0; i < COUNTS; i++) {
        assertThat(own.ask(protocol, one)).isEqualTo(tiny);
      }
      beside = !running.isDone();
      assertThat(running.get().code()).isEqualTo(tiny.code());
    }
    Polling.await("it rests", () -> shows("sluice_model_busy_workers", model, 0));
    return beside;
  }

  @Test
  void streamsOfSeveralWorkersHaveTheStepsOfOneAlone() throws Exception {
    String prompt = "{\"ids\":[3,8,13]}";
    String path = "/v2/models/decoder/generate_stream";
    String alone = ask(1, path, prompt).getFirst();
    assertThat(alone).startsWith("200 data: ");
    assertThat(all(() -> ask(COUNTS / CALLERS, path, prompt))).containsOnly(alone);
  }

  @Test
  void reloadsUnderLoadLoseNoRequest() throws Exception {
    var ends = new AtomicBoolean();
    List<Future<List<String>>> load =
        IntStream.range(0, CALLERS).mapToObj(_ -> threads.submit(() -> until(ends))).toList();
    for (int i = 1; i <= RELOADS; i++) {
      int workers = i % 2 == 0 ? 4 : 3;
      settings("sum", "concurrency: " + workers + "\n");
      Polling.await("reload " + i, () -> reloadedWith(workers));
    }
    ends.set(true);
    for (Future<List<String>> answers : load) {
      assertThat(answers.get()).isNotEmpty().allMatch(answer -> answer.startsWith("200 "));
    }
  }

  /** A file is read when it has not changed between two looks. */
  private static boolean reloadedWith(int workers) {
    server.reload();
    server.awaitReconciled();
    return shows("sluice_model_workers", "sum", workers);
  }

  private static List<String> until(AtomicBoolean ends) {
    List<String> answers = new ArrayList<>();
    try (var own = new HttpCaller(server.port())) {
      while (!ends.get()) {
        Answer answer = own.post("/v2/models/sum/infer", SUM);
        answers.add(answer.status() + " " + answer.text());
      }
    }
    return answers;
  }
}
