package dev.sluice.conformance.tfs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.ConformanceCase;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every recorded exchange with TensorFlow Serving's test models, over HTTP. */
class ConformanceIT {
  private static RunningServer server;
  private static HttpCaller caller;

  @BeforeAll
  static void start() {
    server = RunningServer.start(TestModels.savedModel("", ""));
    caller = new HttpCaller(server.port());
  }

  @AfterAll
  static void stop() {
    caller.close();
    server.close();
  }

  static Stream<ConformanceCase> cases() {
    return Stream.of(
            "rows",
            "columns",
            "values",
            "structure",
            "syntax",
            "lookup",
            "routes",
            "status",
            "savedmodels",
            "examples",
            "headers",
            "recorded",
            "wrong-requests")
        .flatMap(group -> ConformanceCase.of("tfs/" + group).stream());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void answersAsRecorded(ConformanceCase each) {
    long blocks = TensorMemory.openBlocks();
    each.replay(caller);
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocks);
  }
}
