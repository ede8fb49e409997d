package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.inference.VersionState;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.PluginJar;
import dev.sluice.testing.Polling;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.StepModels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A converter before and behind models that stream numbers: by steps of a loop, and by rows. */
@Timeout(60)
class ConvertedStreamsIT {
  /** Takes tenths, and answers in tenths. */
  private static final String TENTHS =
      """
      import dev.sluice.extension.*;
      import dev.sluice.tensor.*;
      import java.util.*;

      public class Tenths implements Converter {
        @Override
        public List<Value> before(Request request) {
          return request.inputs().stream().map(each -> by(each, 0.1f)).toList();
        }

        @Override
        public Answer after(Request request, Answer answer) {
          return new Answer(
              answer.outputs().stream().map(each -> by(each, 10)).toList(), answer.parameters());
        }

        private static Value by(Value value, float factor) {
          if (value.type() != DataType.FP32) {
            return value;
          }
          float[] scaled = value.floats();
          for (int i = 0; i < scaled.length; i++) {
            scaled[i] *= factor;
          }
          return Value.floats(value.name(), value.shape(), scaled);
        }
      }
      """;

  /** Takes its time for the first message: until the test lets it go on. */
  private static final String SLOW =
      """
      import dev.sluice.extension.*;
      import java.util.*;

      public class Slow implements Converter {
        @Override
        public List<Value> before(Request request) {
          return request.inputs();
        }

        @Override
        public Answer after(Request request, Answer answer) {
          System.setProperty("sluice.test.slow", "begun");
          while (System.getProperty("sluice.test.fast") == null) {
            Thread.onSpinWait();
          }
          return answer;
        }
      }
      """;

  private static RunningServer server;
  private static HttpCaller http;

  @BeforeAll
  static void start(@TempDir Path models) throws IOException {
    convert(StepModels.counter(models, "{ feedback: { y: x }, stop: { steps: 3 } }"));
    convert(StepModels.table(models, "table", "stream: { rows: 2 }\n"));
    convert(StepModels.table(models, "rows", "stream: { rows: 1, decoupled: true }\n"));
    server = RunningServer.startWithPlugins(models);
    http = new HttpCaller(server.port());
  }

  private static void convert(Path model) {
    new PluginJar().source("Tenths", TENTHS).service("Converter", "Tenths").into(model);
  }

  @AfterAll
  static void stop() {
    http.close();
    server.close();
  }

  private static List<String> stream(String model, String body, String output) {
    return http.post("/v2/models/" + model + "/generate_stream", body).events().stream()
        .map(event -> event.path(output).toString())
        .toList();
  }

  @Test
  void eachStepOfALoopIsConverted() {
    assertThat(stream("counter", "{\"x\": 10}", "y")).containsExactly("20.0", "30.0", "40.0");
  }

  @Test
  void eachMessageOfRowsIsConverted() {
    assertThat(stream("rows", "{\"at\": [0, 3]}", "value")).containsExactly("100.0", "130.0");
    String streamed =
        http.post(
                "/grps/v1/infer/predict?streaming=true&model=table",
                """
                {"model": "table", "gtensors": {"tensors": [
                  {"name": "at", "dtype": "DT_INT64", "flat_int64": [0, 1, 2], "shape": [3]}]}}
                """)
            .text();
    assertThat(streamed).containsSubsequence("[100.0,110.0]", "[120.0]");
  }

  @Test
  void aFailureInTheMiddleComesBehindConvertedMessagesAndLeavesNothing() {
    long before = TensorMemory.openBlocks();
    List<JsonNode> events =
        http.post("/v2/models/rows/generate_stream", "{\"at\": [1, 9]}").events();
    assertThat(events).hasSize(2);
    assertThat(events.getFirst().get("value").doubleValue()).isEqualTo(110);
    assertThat(events.getLast().has("error")).isTrue();
    Polling.await("freed tensors", () -> TensorMemory.openBlocks() <= before);
  }

  @Test
  void whatAModelHasGivenIsConvertedThoughItIsUnloadedMeanwhile(@TempDir Path models)
      throws Exception {
    Path version = StepModels.counter(models, "{ feedback: { y: x }, stop: { steps: 3 } }");
    new PluginJar().source("Slow", SLOW).service("Converter", "Slow").into(version);
    try (var slow = RunningServer.startWithPlugins(models);
        var caller = new HttpCaller(slow.port());
        var reader = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<HttpCaller.Answer> stream =
          reader.submit(() -> caller.post("/v2/models/counter/generate_stream", "{\"x\": 1}"));
      Polling.await("a message", () -> System.getProperty("sluice.test.slow") != null);
      Files.move(models.resolve("counter"), models.resolve(".counter"));
      slow.reload();
      Polling.await("unloading", () -> !isAvailable(slow, "counter"));
      System.setProperty("sluice.test.fast", "yes");
      assertThat(stream.get().events())
          .extracting(event -> event.path("y").intValue())
          .containsExactly(2, 3, 4);
    } finally {
      System.clearProperty("sluice.test.slow");
      System.clearProperty("sluice.test.fast");
    }
  }

  private static boolean isAvailable(RunningServer server, String model) {
    return server.control().versions(model).stream()
        .flatMap(List::stream)
        .anyMatch(version -> version.state() == VersionState.AVAILABLE);
  }
}
