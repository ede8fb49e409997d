package dev.sluice.conformance.oip;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.OipCase;
import dev.sluice.testing.RunningServer;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Replays recorded requests. */
class OipHttpConformanceIT {
  private static RunningServer server;

  @BeforeAll
  static void start() {
    server = RunningServer.start(Path.of("src/test/models/oip"));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void lengthsOfTheHeadThatDifferAreRefused() {
    String numbers = "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]";
    String input = "{\"name\":\"%s\",\"datatype\":\"INT32\",\"shape\":[1,16],\"data\":%s}";
    String body =
        "{\"inputs\":[%s,%s]}"
            .formatted(input.formatted("INPUT0", numbers), input.formatted("INPUT1", numbers));
    String length = Integer.toString(body.length());
    try (var caller = new HttpCaller(server.port())) {
      assertThat(infer(caller, body, length, length).status()).isEqualTo(200);
      var answer = infer(caller, body, length, "1");
      assertThat(answer.status()).isEqualTo(400);
      assertThat(answer.text())
          .contains("several headers Inference-Header-Content-Length that differ; wanted one");
    }
  }

  private static HttpCaller.Answer infer(
      HttpCaller caller, String body, String length, String other) {
    MultiMap headers =
        MultiMap.caseInsensitiveMultiMap()
            .add("Inference-Header-Content-Length", length)
            .add("inference-header-content-length", other);
    return caller.send("POST", "/v2/models/addsub/infer", headers, Buffer.buffer(body));
  }

  @TestFactory
  List<DynamicTest> healthAndMetadata() {
    return cases("health-and-metadata");
  }

  @TestFactory
  List<DynamicTest> inferenceInJson() {
    return cases("infer-json");
  }

  @TestFactory
  List<DynamicTest> typesAndRepositoryIndex() {
    return cases("types");
  }

  @TestFactory
  List<DynamicTest> binaryTensorData() {
    return cases("binary-data");
  }

  @TestFactory
  List<DynamicTest> classification() {
    return cases("classification");
  }

  @TestFactory
  List<DynamicTest> sequences() {
    return cases("sequences");
  }

  @TestFactory
  List<DynamicTest> logAndTraceSettings() {
    return cases("settings");
  }

  @TestFactory
  List<DynamicTest> compression() {
    return cases("compression");
  }

  @TestFactory
  List<DynamicTest> generateInFlatJson() {
    return cases("generate");
  }

  @TestFactory
  List<DynamicTest> loadingByNameWhereItIsNotAllowed() {
    return cases("model-control-refused");
  }

  private static List<DynamicTest> cases(String file) {
    return OipCase.tests(file, server.url());
  }
}
