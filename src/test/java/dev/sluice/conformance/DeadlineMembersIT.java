package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.LoopModel;
import dev.sluice.testing.LoopTurns;
import dev.sluice.testing.PluginJar;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.StepsCaller;
import dev.sluice.testing.StepsCaller.Protocol;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Deadlines of models that wait for another one, a loop in TensorFlow that cannot be interrupted:
 * ensembles, converters in front of it, plugins that ask for it.
 */
@Timeout(300)
class DeadlineMembersIT {
  private static final int TIMEOUT_MILLIS = 300;

  /** Length of runs whose callers wait for a fifth of it. */
  private static final Duration LONG = Duration.ofMillis(5 * TIMEOUT_MILLIS);

  private static final List<String> FORMS = List.of("ensemble", "converter", "plugin");
  private static final List<Protocol> PROTOCOLS =
      List.of(Protocol.TFS_REST, Protocol.V2_GRPC, Protocol.BRPC);
  private static final Set<String> LATE =
      Set.of("504", "DEADLINE_EXCEEDED", "OK, 504", "0, 504", "1008");

  private static final String CONVERTER =
      """
      public class Plain implements dev.sluice.extension.Converter {}
      """;

  private static final String PLUGIN =
      """
      import dev.sluice.extension.*;
      import dev.sluice.tensor.*;
      import java.util.List;

      public class Asking implements Model {
        private Setup setup;

        @Override
        public void open(Setup setup) {
          this.setup = setup;
        }

        @Override
        public ModelSignature signature() {
          return ModelSignature.of(
              List.of(new TensorSpec("steps", DataType.INT64, Shape.of(1))),
              List.of(new TensorSpec("done", DataType.INT64, Shape.of(1))));
        }

        @Override
        public Answer run(Request request) throws Exception {
          return setup.models().infer(setup.settings().get("member"), request.inputs());
        }
      }
      """;

  @TempDir private static Path models;
  private static RunningServer server;
  private static StepsCaller caller;
  private static HttpCaller http;
  private static long steps;

  @BeforeAll
  static void open() throws IOException {
    for (Protocol protocol : PROTOCOLS) {
      ensemble("ensemble_" + protocol);
      plugin("plugin_" + protocol);
      LoopModel.writeRow(models, "converter_" + protocol);
      new PluginJar()
          .source("Plain", CONVERTER)
          .service("Converter", "Plain")
          .into(models.resolve("converter_" + protocol).resolve("1"));
    }
    LoopModel.writeRow(models, "measured");
    server = RunningServer.startWithPlugins(models);
    caller = new StepsCaller(server.port(), server.port());
    http = new HttpCaller(server.port());
    steps = LoopTurns.lasting(LONG, caller, "measured");
  }

  private static void ensemble(String name) throws IOException {
    LoopModel.writeRow(models, "loop_of_" + name);
    settings(
        name,
        "ensemble: { steps: [{ model: loop_of_%s, inputs: { steps: steps }, outputs: { done: done } }] }"
            .formatted(name));
  }

  private static void plugin(String name) throws IOException {
    LoopModel.writeRow(models, "loop_of_" + name);
    settings(name, "java: { settings: { member: loop_of_%s } }".formatted(name));
    new PluginJar()
        .source("Asking", PLUGIN)
        .service("Model", "Asking")
        .into(models.resolve(name).resolve("1"));
  }

  private static void settings(String name, String yaml) throws IOException {
    Files.createDirectories(models.resolve(name).resolve("1"));
    Files.writeString(models.resolve(name).resolve("model.yml"), yaml + "\n");
  }

  /** The server waits for the runs, and frees what they have used. */
  @AfterAll
  static void nothingIsLeftOpen() {
    caller.close();
    http.close();
    server.close();
  }

  static Stream<Arguments> waiting() {
    return FORMS.stream()
        .flatMap(form -> PROTOCOLS.stream().map(protocol -> Arguments.of(form, protocol)));
  }

  @ParameterizedTest(name = "{0} by {1}")
  @MethodSource("waiting")
  void callersAreAnsweredAtTheirDeadlineWhileAMemberRuns(String form, Protocol protocol)
      throws IOException {
    String model = form + "_" + protocol;
    String member = form.equals("converter") ? model : "loop_of_" + model;
    var request = new StepsCaller.Request(model, steps, TIMEOUT_MILLIS);
    StepsCaller.Outcome late = caller.ask(protocol, request);
    assertThat(late.code()).as(late.text()).isIn(LATE);
    assertThat(late.text()).contains("Request timeout expired");
    requireStillRunning(member);
    for (Protocol other : Protocol.values()) {
      if (other != Protocol.KSERVE_V1 && other != protocol) {
        assertThat(caller.ask(other, request).text())
            .as("by %s behind the run", other)
            .contains("Request timeout expired");
      }
    }
  }

  private static void requireStillRunning(String member) {
    String statistics = http.send("GET", "/v2/models/" + member + "/stats", Buffer.buffer()).text();
    assertThat(statistics).contains("\"execution_count\":0");
  }
}
