package dev.sluice.conformance.oip;

import dev.sluice.testing.OipCase;
import dev.sluice.testing.RunningServer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
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
