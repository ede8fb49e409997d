package dev.sluice.boot.infer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.boot.SluiceServer;
import dev.sluice.boot.cli.SluiceCommand;
import dev.sluice.config.server.InferenceLogConfig;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.Polling;
import dev.sluice.testing.PredictClient;
import dev.sluice.testing.PredictClient.Protocol;
import dev.sluice.testing.RecordCopy;
import dev.sluice.testing.RunningServer;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code sluice replay} of a real server's inference log. */
@Timeout(120)
class ReplayCommandIT {
  @TempDir private Path folder;
  private Path log;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeEach
  void name() {
    log = folder.resolve("inference.jsonl");
  }

  /** Makes a folder with one model, which multiplies by a factor. */
  private Path models(String name, float factor) throws IOException {
    Path models = folder.resolve(name);
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "rows", "3")
        .initializer("factor", factor)
        .node("Mul", "y", "x", "factor")
        .output("y", OnnxModelWriter.FLOAT, "rows", "3")
        .writeTo(Files.createDirectories(models.resolve("scale/1")));
    return models;
  }

  private RunningServer serve(Path models, String... redact) {
    return RunningServer.start(
        RecordCopy.with(
            RunningServer.settings(models),
            "observability.inferenceLog",
            new InferenceLogConfig(
                Optional.of(log), Optional.empty(), 1, 1_000, 10_000, 0, 1, Set.of(redact))));
  }

  private void record(String... redact) throws Exception {
    try (RunningServer server = serve(models("old", 2), redact);
        var client = new PredictClient(server);
        var http = new HttpCaller(server.port())) {
      for (Protocol protocol :
          List.of(Protocol.V1_ROWS, Protocol.TFS_CONTENT, Protocol.GRPS_GRPC)) {
        client.ask(protocol, "scale", new float[] {1, 0.1f, -3e20f}, 1, 3);
      }
      http.send(
          "POST", "/v1/models/scale:predict", Buffer.buffer("{\"instances\":[[NaN,Infinity,0]]}"));
    }
  }

  private int replay(String... more) {
    List<String> arguments = new ArrayList<>(List.of("replay", log.toString()));
    arguments.addAll(List.of(more));
    CommandLine command = SluiceCommand.commandLine(SluiceServer::startSettled, Map.of());
    command.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return command.execute(arguments.toArray(String[]::new));
  }

  @Test
  void theSameModelAnswersTheSame() throws Exception {
    record();
    assertThat(replay("--against", models("same", 2).toString())).isZero();
    assertThat(out.toString().lines())
        .containsExactly(
            "requests compared   4",
            "  identical         4",
            "  within tolerance  0",
            "  different         0");
  }

  @Test
  void aModelThatIsNearlyTheSameIsWithinTheTolerance() throws Exception {
    record();
    String near = models("near", 2.000001f).toString();
    assertThat(replay("--against", near, "--atol", "1e16")).isZero();
    assertThat(out.toString())
        .contains("identical         1", "within tolerance  3, largest difference");
    assertThat(replay("--against", near, "--rtol=0", "--atol=0")).isEqualTo(1);
  }

  @Test
  void anotherModelDiffersAndTheReportSaysWhere() throws Exception {
    record();
    assertThat(replay("--against", models("new", 3).toString(), "--show", "1")).isEqualTo(1);
    assertThat(out.toString())
        .contains("  different         3")
        .containsPattern("line 1, request \\S+, scale: output y: 3 of 3 values differ, most at 2: ")
        .contains("further differences are not shown");
  }

  @Test
  void aServerThatWritesTheLogIsAskedOnlyWhatWasInItBefore() throws Exception {
    Path models = models("old", 2);
    try (RunningServer server = serve(models);
        var client = new PredictClient(server)) {
      for (int i = 0; i < 50; i++) {
        client.ask(Protocol.TFS_CONTENT, "scale", new float[] {i, 2, 3}, 1, 3);
      }
      Polling.await("the log", () -> lines() == 50);
      Files.writeString(log, "{\"model\": \"sca", StandardOpenOption.APPEND);
      assertThat(replay("--against", server.url())).isZero();
    }
    assertThat(out.toString()).startsWith("requests compared   50\n");
  }

  private long lines() {
    try (Stream<String> lines = Files.lines(log)) {
      return lines.count();
    } catch (IOException e) {
      return 0;
    }
  }

  @Test
  void aRunningServerAnswersByVersion() throws Exception {
    record();
    try (RunningServer server = RunningServer.start(models("running", 2))) {
      String url = server.url();
      assertThat(replay("--against", url, "--version", "1")).isZero();
      assertThat(replay("--against", url, "--version", "9")).isEqualTo(1);
      assertThat(out.toString()).contains("fails with 4").contains("recorded OK");
      assertThat(replay("--against", url, "--model", "none")).isEqualTo(1);
    }
  }

  @Test
  void recordsWithoutValuesAreSkippedAndNothingToCompareIsNoSuccess() throws Exception {
    record("x");
    assertThat(replay("--against", models("same", 2).toString())).isEqualTo(2);
    assertThat(out.toString())
        .contains("requests compared   0")
        .contains("  skipped           4, an input without values: redacted");
  }

  @Test
  void linesThatAreNoRecordsAreSkipped() throws Exception {
    record();
    Files.writeString(log, Files.readString(log) + "{\"half\":\n[]\n");
    assertThat(replay("--against", models("same", 2).toString())).isZero();
    assertThat(out.toString()).contains("  skipped           2, no record");
  }

  @Test
  void aServerThatIsNotThereIsNoDifference() throws Exception {
    record();
    assertThat(replay("--against", "http://localhost:1")).isEqualTo(1);
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString()).startsWith("sluice: http://localhost:1: ");
  }

  @Test
  void wrongFlagsAreUsageErrors() {
    assertThat(replay("--against", "http://localhost:1")).isEqualTo(2);
    assertThat(err.toString()).contains("is no file that can be read");
  }
}
