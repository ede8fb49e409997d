package dev.sluice.boot.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.sluice.testing.ChildServer;
import dev.sluice.testing.KeptConnection;
import dev.sluice.testing.Polling;
import dev.sluice.testing.StepModels;
import dev.sluice.testing.TestModels;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What signals do to a server that is a process of its own. */
@Timeout(120)
class SignalsIT {
  private static final String LOOK_UP =
      "{\"inputs\":[{\"name\":\"at\",\"shape\":[1],\"datatype\":\"INT64\",\"data\":[1]}]}";

  @TempDir private Path models;

  private ChildServer begin(int port, String gracePeriod, String... more) {
    String[] usual = {
      "serve",
      "--listen",
      "localhost:" + port,
      "--models",
      models.toString(),
      "--set",
      "shutdown.grace_period=" + gracePeriod
    };
    return ChildServer.begin(Stream.of(usual, more).flatMap(Stream::of).toArray(String[]::new));
  }

  private ChildServer serve(int port) throws IOException {
    StepModels.table(models, "table", "max_batch_size: 0\n");
    ChildServer server = begin(port, "10m");
    server.awaitModel("table/1");
    return server;
  }

  private static boolean isOpen(int port) {
    try {
      KeptConnection.open(port).close();
      return true;
    } catch (IOException _) {
      return false;
    }
  }

  private static boolean infers(KeptConnection connection) throws IOException {
    return connection.post("/v2/models/table/infer", LOOK_UP).contains("11");
  }

  @Test
  void aServerThatIsNotReadyAnswersUntilTheGracePeriodIsOverOrASecondSignalComes()
      throws IOException {
    int port = ChildServer.freePort();
    try (var server = serve(port);
        var kept = KeptConnection.open(port)) {
      assertThat(infers(kept)).isTrue();
      assertThat(kept.keeps()).isTrue();
      server.signal("TERM");
      while (kept.keeps()) {
        assertThat(infers(kept)).isTrue();
      }
      try (var late = KeptConnection.open(port)) {
        assertThat(infers(late)).isTrue();
        assertThat(late.keeps()).isFalse();
      }
      try (var probe = KeptConnection.open(port)) {
        assertThatThrownBy(() -> probe.post("/v2/health/ready", ""))
            .isInstanceOf(IOException.class)
            .hasMessageStartingWith("HTTP/1.1 ");
      }
      server.signal("TERM");
      assertThat(server.exitCode()).isZero();
      assertThat(server.output()).anyMatch(line -> line.contains("cut short by a second signal"));
    }
  }

  @Test
  void aServerWhoseOtherModelsStillLoadDrainsAsAnyOther() throws IOException {
    StepModels.table(models, "table", "max_batch_size: 0\n");
    TestModels.writeSlow(models.resolve("late/1"), 60);
    Files.writeString(
        models.resolve("late/config.pbtxt"),
        """
        model_warmup { name: "zeros" batch_size: 1
          inputs { key: "INPUT0" value: { data_type: TYPE_FP32 dims: [1, 4] zero_data: true } } }
        """);
    int port = ChildServer.freePort();
    try (var server = begin(port, "500ms")) {
      server.awaitModel("table/1");
      try (var kept = KeptConnection.open(port)) {
        assertThat(infers(kept)).isTrue();
        server.signal("TERM");
        server.awaitLine("draining");
        assertThat(infers(kept)).isTrue();
      }
      assertThat(server.exitCode()).isZero();
      assertThat(server.output())
          .anyMatch(line -> line.contains("stopped"))
          .noneMatch(line -> line.contains(" listens on"));
    }
  }

  @Test
  void aServerThatHasNotStartedIsWaitedForUntilASecondSignal()
      throws IOException, InterruptedException {
    Path pipe = Files.createDirectory(models.resolve("stuck")).resolve("model.yml");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    int port = ChildServer.freePort();
    try (var server = begin(port, "500ms")) {
      Polling.await("the port is open", () -> isOpen(port));
      server.signal("TERM");
      server.awaitLine("draining");
      server.signal("TERM");
      assertThat(server.exitCode()).isZero();
      assertThat(server.output()).anyMatch(line -> line.contains("has not started"));
    }
  }

  /** A shell's nohup has it ignored by all that it starts, and the Java VM keeps to that. */
  private static boolean isHangUpIgnored() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith("SigIgn:"))
        .map(line -> new BigInteger(line.substring("SigIgn:".length()).strip(), 16))
        .anyMatch(ignored -> ignored.testBit(0));
  }

  @Test
  void sighupLooksForChangesAndEndsNothing() throws IOException {
    assumeThat(isHangUpIgnored()).as("SIGHUP is ignored by what starts the tests").isFalse();
    int port = ChildServer.freePort();
    try (var server = serve(port);
        var kept = KeptConnection.open(port)) {
      server.signal("HUP");
      server.awaitLine("looked for changes: the model folders");
      assertThat(infers(kept)).isTrue();
      assertThat(kept.keeps()).isTrue();
    }
  }
}
