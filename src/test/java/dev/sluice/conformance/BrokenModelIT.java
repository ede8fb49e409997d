package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.StepsCaller;
import dev.sluice.testing.StepsCaller.Outcome;
import dev.sluice.testing.StepsCaller.Protocol;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Models that refuse zeros, as the warm-up brings them: one refuses all other values too, the
 * others accept 1. Each protocol has one of the others for itself.
 */
@Timeout(120)
class BrokenModelIT {
  private static final String BROKEN = "broken";
  private static final String ISOLATED = "broken_isolated";
  private static final String SETTINGS = "breaker: { failures: 5 }";
  private static final int FAILURES = 5;
  private static final String VERDICT = "has answered no request since it was loaded, and ";

  @TempDir private static Path models;
  private static RunningServer server;
  private static StepsCaller caller;

  @BeforeAll
  static void open() throws IOException {
    write(BROKEN, broken());
    write(ISOLATED, broken());
    Files.writeString(models.resolve(ISOLATED + "/model.yml"), "isolation: process\n" + SETTINGS);
    for (Protocol protocol : Protocol.values()) {
      write(
          picky(protocol),
          new OnnxModelWriter()
              .integers("none", 0)
              .integers("three", 3)
              .initializer("row", 1, 2, 3)
              .input("steps", OnnxModelWriter.INT64, "1")
              .output("y", OnnxModelWriter.FLOAT, "")
              .node("Slice", "y", "row", "none", "three", "none", "steps"));
    }
    server = RunningServer.startWithKserve(models);
    caller = new StepsCaller(server.ports().get(0), server.ports().get(1));
    refuse(Protocol.V2_GRPC, BROKEN);
  }

  private static OnnxModelWriter broken() {
    return new OnnxModelWriter()
        .integers("none", 0)
        .integers("seven", 7)
        .initializer("row", 1, 2, 3)
        .input("steps", OnnxModelWriter.INT64, "1")
        .output("y", OnnxModelWriter.FLOAT, "")
        .node("Mul", "product", "steps", "none")
        .node("Add", "index", "product", "seven")
        .node("Gather", "y", "row", "index");
  }

  @AfterAll
  static void close() {
    caller.close();
    server.close();
  }

  private static String picky(Protocol protocol) {
    return "picky_" + protocol.name();
  }

  private static void write(String name, OnnxModelWriter model) throws IOException {
    model.writeTo(Files.createDirectories(models.resolve(name + "/1")));
    Files.writeString(models.resolve(name + "/model.yml"), SETTINGS);
  }

  private static Outcome ask(Protocol protocol, String model, long steps) throws IOException {
    return caller.ask(protocol, new StepsCaller.Request(model, steps, 0));
  }

  /** Sends so many wrong values, one after the other, that one more is taken for a failure. */
  private static void refuse(Protocol protocol, String model) throws IOException {
    for (int i = 1; i < FAILURES; i++) {
      Outcome refused = ask(protocol, model, 0);
      assertThat(refused.text()).contains("while running").doesNotContain(VERDICT);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "TFS_REST, 500",
    "KSERVE_V1, 500",
    "V2_REST, 500",
    "EVENTS, '500, error event'",
    "GRPS_HTTP, 500",
    "TFS_GRPC, INTERNAL",
    "V2_GRPC, INTERNAL",
    "V2_STREAM, 'OK, error message'",
    "GRPS_GRPC, 'OK, 500'",
    "BRPC, '0, 500'",
  })
  void modelOfWhichEveryRunFailsIsTheServersFailure(Protocol protocol, String code)
      throws IOException {
    Outcome failed = ask(protocol, BROKEN, 3);
    assertThat(failed.code()).as(failed.text()).isEqualTo(code);
    assertThat(failed.text())
        .contains("model 'broken/1' " + VERDICT, "have failed in it, the last with: ", "Gather");
  }

  @Test
  void brokenModelInAProcessOfItsOwnIsTheServersFailureToo() throws IOException {
    refuse(Protocol.V2_REST, ISOLATED);
    Outcome failed = ask(Protocol.V2_REST, ISOLATED, 3);
    assertThat(failed.code()).as(failed.text()).isEqualTo("500");
    assertThat(failed.text()).contains(VERDICT);
  }

  @ParameterizedTest
  @EnumSource
  void wrongValuesKeepNobodyFromAModelAndAreTheCallersOnceItHasAnswered(Protocol protocol)
      throws IOException {
    String model = picky(protocol);
    refuse(protocol, model);
    assertThat(ask(protocol, model, 0).text()).contains("model '" + model + "/1' " + VERDICT);
    Outcome good = ask(protocol, model, 1);
    if (protocol == Protocol.KSERVE_V1) {
      assertThat(good.text()).as("its rows are no instances").contains("3 rows for 1 instances");
    } else {
      assertThat(good.code()).as(good.text()).isIn("200", "OK", "OK, 200", "0, 200");
    }
    for (int i = 0; i < 2; i++) {
      refuse(protocol, model);
    }
  }

  @Test
  void brokenModelIsShownByTheMetricOfItsBreakerAndStillTriesEachRequest() throws IOException {
    assertThat(ask(Protocol.V2_REST, BROKEN, 3).code()).isEqualTo("500");
    assertThat(ask(Protocol.V2_REST, BROKEN, 3).text()).contains("Gather");
    try (var http = new HttpCaller(server.port())) {
      assertThat(http.send("GET", "/metrics", Buffer.buffer()).text())
          .contains("sluice_model_breaker_state{model=\"broken\",version=\"1\"} 1.0\n");
    }
  }
}
