package dev.sluice.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.testing.ChildServer;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.IsolatedModels;
import dev.sluice.testing.LoopModel;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.TestModels;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** When the processes of models end: with their server, however that ends, and not before it. */
@Timeout(120)
class ModelProcessEndIT {
  private static final long LONG_RUN = 1_000_000;

  @TempDir private Path models;
  private final int port = ChildServer.freePort();

  @BeforeEach
  void write() throws IOException {
    TestModels.copy(TestModels.sample("half_plus_two", "1"), models.resolve("half/1"));
    LoopModel.write(models, "loop");
  }

  private ChildServer serve(String... more) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "serve",
                "--listen=localhost:" + port,
                "--models=" + models,
                "--set=tensorflow.isolation=process"));
    arguments.addAll(List.of(more));
    var server = ChildServer.start(arguments.toArray(String[]::new));
    return server;
  }

  private static List<ProcessHandle> processes(ChildServer server) {
    server.awaitModel("half/1");
    server.awaitModel("loop/1");
    List<ProcessHandle> processes = IsolatedModels.of(ProcessHandle.of(server.pid()).orElseThrow());
    assertThat(processes).hasSize(2);
    return processes;
  }

  private static Answer loop(HttpCaller caller, long steps) {
    MultiMap json = MultiMap.caseInsensitiveMultiMap().add("Content-Type", "application/json");
    return caller.send(
        "POST",
        "/v2/models/loop/infer",
        json,
        Buffer.buffer(
            "{\"inputs\":[{\"name\":\"steps\",\"datatype\":\"INT64\",\"shape\":[],\"data\":["
                + steps
                + "]}]}"));
  }

  private static CompletableFuture<Answer> begin(HttpCaller caller, long steps) {
    CompletableFuture<Answer> answer =
        CompletableFuture.supplyAsync(
            () -> loop(caller, steps), task -> Thread.ofPlatform().start(task));
    String idle = "sluice_model_longest_run_seconds{model=\"loop\",version=\"1\"} 0.0\n";
    while (!answer.isDone()
        && caller.send("GET", "/metrics", Buffer.buffer()).text().contains(idle)) {
      Thread.onSpinWait();
    }
    return answer;
  }

  private static void awaitEnd(List<ProcessHandle> processes) throws Exception {
    for (ProcessHandle process : processes) {
      process.onExit().get(30, TimeUnit.SECONDS);
    }
  }

  @Test
  void serverThatIsKilledInTheMiddleOfARunLeavesNoProcessAndNoFile() throws Exception {
    try (var server = serve();
        var caller = new HttpCaller(port)) {
      List<ProcessHandle> processes = processes(server);
      assertThat(loop(caller, 1).status()).isEqualTo(200);
      CompletableFuture<Answer> hopeless = begin(caller, Long.MAX_VALUE);
      server.signal("KILL");
      awaitEnd(processes);
      assertThat(IsolatedModels.files(server.pid())).isEmpty();
      assertThat(hopeless.handle((_, failure) -> failure != null).get(30, TimeUnit.SECONDS))
          .isTrue();
    }
  }

  @Test
  void serverThatDrainsAnswersWhatIsRunningBeforeItsProcessesEnd() throws Exception {
    try (var server = serve();
        var caller = new HttpCaller(port)) {
      List<ProcessHandle> processes = processes(server);
      CompletableFuture<Answer> running = begin(caller, LONG_RUN);
      // As Ctrl-C or systemd do: everybody gets the signal.
      for (ProcessHandle process : processes) {
        IsolatedModels.signal(process, "INT");
        IsolatedModels.signal(process, "TERM");
      }
      server.terminate();
      assertThat(running.get(60, TimeUnit.SECONDS).text()).contains("\"data\":[" + LONG_RUN + "]");
      assertThat(server.exitCode()).isZero();
      awaitEnd(processes);
      assertThat(IsolatedModels.files(server.pid())).isEmpty();
    }
  }

  @Test
  void linesOfAProcessAreJsonWhereTheServersAre() throws Exception {
    try (var server = serve("--log-format=json")) {
      server.awaitLine("\"message\":\"takes requests\",\"model\":\"half/1\"");
      server.awaitLine("\"message\":\"takes requests\",\"model\":\"loop/1\"");
      ProcessHandle self = ProcessHandle.of(server.pid()).orElseThrow();
      IsolatedModels.signal(IsolatedModels.of(self).getFirst(), "SEGV");
      server.awaitLine("SIGSEGV");
      server.awaitLine("a session of the model was opened again");
      assertThat(server.output())
          .filteredOn(line -> !line.contains(" listens on"))
          .filteredOn(line -> line.contains("pid") || line.contains("process"))
          .isNotEmpty()
          .allMatch(line -> line.startsWith("{") && line.endsWith("}"));
    }
  }

  @Test
  void sharedMemoryOfAServerThatWasKilledIsDeletedByTheNext() throws Exception {
    Path abandoned = Path.of("/dev/shm", "sluice-4194304-00000000-0000-0000-0000-000000000000");
    Path young = Path.of("/dev/shm", "sluice-4194304-00000000-0000-0000-0000-000000000001");
    Files.writeString(abandoned, "old");
    Files.writeString(young, "new");
    Files.setLastModifiedTime(abandoned, FileTime.fromMillis(1_000_000_000_000L));
    try (var server = serve()) {
      assertThat(abandoned).doesNotExist();
      assertThat(young).exists();
      assertThat(server.output()).anyMatch(line -> line.contains(abandoned.toString()));
    } finally {
      Files.deleteIfExists(abandoned);
      Files.deleteIfExists(young);
    }
  }

  /** A control group of its own with a limit, as far as this machine lets a test make one. */
  private static Optional<Path> memoryGroup(long limit) {
    Path group = Path.of("/sys/fs/cgroup/memory/sluice-test-" + ProcessHandle.current().pid());
    try {
      Files.createDirectory(group);
      Files.writeString(group.resolve("memory.limit_in_bytes"), Long.toString(limit));
      return Optional.of(group);
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  private static void leave(Path group) throws IOException {
    while (!Files.readString(group.resolve("cgroup.procs")).isBlank()) {
      Thread.onSpinWait();
    }
    Files.delete(group);
  }

  /** The sum of so many zeros, all of which are in memory at once. */
  private static Answer sum(HttpCaller caller, long elements) {
    MultiMap json = MultiMap.caseInsensitiveMultiMap().add("Content-Type", "application/json");
    return caller.send(
        "POST",
        "/v2/models/sum/infer",
        json,
        Buffer.buffer(
            "{\"inputs\":[{\"name\":\"size\",\"datatype\":\"INT64\",\"shape\":[1],\"data\":["
                + elements
                + "]}]}"));
  }

  @Test
  void processThatTheKernelEndsForWantOfMemoryCostsItsRequestARetryableError() throws Exception {
    new OnnxModelWriter()
        .input("size", OnnxModelWriter.INT64, "1")
        .output("y", OnnxModelWriter.FLOAT, "one")
        .node("ConstantOfShape", "zeros", "size")
        .node("Neg", "x", "zeros")
        .node("ReduceSum", "y", "x")
        .writeTo(Files.createDirectories(models.resolve("sum/1")));
    Files.writeString(models.resolve("sum/model.yml"), "isolation: process\n");
    Optional<Path> group = memoryGroup(500L << 20);
    assumeTrue(group.isPresent(), "this machine lets a test make control groups");
    try (var server = serve();
        var caller = new HttpCaller(port)) {
      server.awaitModel("sum/1");
      assertThat(sum(caller, 10).status()).isEqualTo(200);
      Matcher process =
          Pattern.compile("resident_bytes\\{model=\"sum\",pid=\"(\\d+)")
              .matcher(caller.send("GET", "/metrics", Buffer.buffer()).text());
      assertThat(process.find()).isTrue();
      Files.writeString(group.get().resolve("cgroup.procs"), process.group(1));
      Answer killed = sum(caller, 400_000_000);
      assertThat(killed.status()).as(killed.text()).isEqualTo(503);
      assertThat(killed.headers().get("Retry-After")).isNotNull();
      assertThat(killed.text()).contains("its process ended with signal 9 (SIGKILL)");
      assertThat(loop(caller, 3).status()).isEqualTo(200);
      Answer again = sum(caller, 10);
      while (again.status() == 503) {
        again = sum(caller, 10);
      }
      assertThat(again.status()).isEqualTo(200);
    } finally {
      leave(group.get());
    }
  }
}
