package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.StepsCaller;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A size below nothing, which an operator refuses, is the caller's mistake by every protocol. */
@Timeout(120)
class RefusedSizesIT {
  private static final String MODEL = "fill";

  @TempDir private static Path models;
  private static RunningServer server;
  private static StepsCaller caller;

  @BeforeAll
  static void open() throws IOException {
    new OnnxModelWriter()
        .input("steps", OnnxModelWriter.INT64, "1")
        .output("y", OnnxModelWriter.FLOAT, "")
        .node("ConstantOfShape", "filled", "steps")
        .node("Neg", "y", "filled")
        .writeTo(Files.createDirectories(models.resolve(MODEL + "/1")));
    server = RunningServer.startWithKserve(models);
    caller = new StepsCaller(server.ports().get(0), server.ports().get(1));
  }

  @AfterAll
  static void close() {
    caller.close();
    server.close();
  }

  @ParameterizedTest
  @CsvSource({
    "TFS_REST, 200, 400",
    "KSERVE_V1, 500, 400",
    "V2_REST, 200, 400",
    "EVENTS, 200, '400, error event'",
    "GRPS_HTTP, 200, 400",
    "TFS_GRPC, OK, INVALID_ARGUMENT",
    "V2_GRPC, OK, INVALID_ARGUMENT",
    "V2_STREAM, OK, 'OK, error message'",
    "GRPS_GRPC, 'OK, 200', 'OK, 400'",
    "BRPC, '0, 200', '0, 400'",
  })
  void aSizeBelowNothingIsTheCallersMistake(StepsCaller.Protocol protocol, String good, String bad)
      throws IOException {
    assertThat(caller.ask(protocol, new StepsCaller.Request(MODEL, 3, 0)).code()).isEqualTo(good);
    StepsCaller.Outcome refused = caller.ask(protocol, new StepsCaller.Request(MODEL, -1, 0));
    assertThat(refused.text()).contains("while running ConstantOfShape", "must be >= 0");
    assertThat(refused.code()).isEqualTo(bad);
    assertThat(refused.saysWhen()).isFalse();
  }
}
