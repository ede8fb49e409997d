package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.inference.VersionState;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.Json;
import dev.sluice.testing.PluginJar;
import dev.sluice.testing.Polling;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.StepModels;
import dev.sluice.testing.TestModels;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A converter that changes nothing, around each kind of model. */
@Timeout(120)
class ConvertedKindsIT {
  /** One that exchanges the names of two outputs. */
  private static final String SWAP =
      """
      import dev.sluice.extension.*;
      import java.util.*;

      public class Swap implements Converter {
        @Override
        public List<Value> before(Request request) {
          return request.inputs();
        }

        @Override
        public Answer after(Request request, Answer answer) {
          return new Answer(
              answer.outputs().stream().map(Swap::named).toList(), answer.parameters());
        }

        private static Value named(Value value) {
          String name = value.name().equals("OUTPUT0") ? "OUTPUT1" : "OUTPUT0";
          return Value.ints(name, value.shape(), value.ints());
        }
      }
      """;

  private static final String SUMS =
      """
      {"inputs": [
        {"name": "INPUT0", "datatype": "INT32", "shape": [1, 16], "data": [%1$s]},
        {"name": "INPUT1", "datatype": "INT32", "shape": [1, 16], "data": [%1$s]}]}
      """
          .formatted("1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16");
  private static final String STEP =
      """
      {"inputs": [{"name": "INPUT", "datatype": "INT32", "shape": [1, 1], "data": [3]}],
       "parameters": {"sequence_id": 7, "sequence_start": %b}}
      """;

  /** What a kind of model is asked, by path and body. */
  private record Asked(String model, String path, String body) {}

  private static final List<Asked> ASKED =
      List.of(
          new Asked("plain", "infer", SUMS),
          new Asked("cached", "infer", SUMS),
          new Asked("isolated", "infer", SUMS),
          new Asked("twice", "infer", SUMS),
          new Asked("steps", "infer", SUMS),
          new Asked("seq", "infer", STEP.formatted(true)),
          new Asked("seq", "infer", STEP.formatted(false)),
          new Asked("seq", "infer", STEP.formatted(false)),
          new Asked("counter", "generate_stream", "{\"x\": 1}"),
          new Asked("counter", "generate_stream", "{\"x\": [1, 2]}"));

  @Test
  void aModelAnswersWithAConverterAsItDoesAloneAndCanBeUnloadedAfterwards(@TempDir Path models)
      throws Exception {
    write(models, "converted-");
    write(models, "");
    try (Stream<Path> folders = Files.list(models)) {
      for (Path folder : folders.filter(each -> named(each).startsWith("converted-")).toList()) {
        new PluginJar().file("Same").service("Converter", "Same").into(version(folder));
      }
    }
    try (var server = RunningServer.startWithPlugins(models);
        var http = new HttpCaller(server.port())) {
      for (Asked asked : ASKED) {
        assertThat(answer(http, asked, "converted-"))
            .as("%s", asked)
            .isNotEmpty()
            .isEqualTo(answer(http, asked, ""));
      }
      List<String> names = server.control().models();
      assertThat(names).hasSize(14);
      for (String name : names) {
        Files.move(models.resolve(name), models.resolve("." + name));
      }
      server.reload();
      Polling.await("unloaded models", () -> names.stream().allMatch(name -> isOver(server, name)));
    }
  }

  @Test
  void aConverterAroundAnEnsembleIsAsked(@TempDir Path models) throws Exception {
    write(models, "");
    new PluginJar()
        .source("Swap", SWAP)
        .service("Converter", "Swap")
        .into(models.resolve("steps/1"));
    try (var server = RunningServer.startWithPlugins(models);
        var http = new HttpCaller(server.port())) {
      JsonNode answer = http.answer("/v2/models/steps/infer", SUMS);
      assertThat(answer.at("/outputs/0/data/15").intValue()).as("%s", answer).isZero();
      assertThat(answer.at("/outputs/1/data/15").intValue()).as("%s", answer).isEqualTo(32);
    }
  }

  private static void write(Path models, String prefix) throws IOException {
    sums(models.resolve(prefix + "plain"), "");
    sums(models.resolve(prefix + "cached"), "response_cache: true\n");
    sums(models.resolve(prefix + "isolated"), "isolation: process\n");
    sums(models.resolve(prefix + "twice"), "instances: 2\n");
    TestModels.copy(Path.of("src/test/models/oip/seq"), models.resolve(prefix + "seq"));
    Path counter = StepModels.counter(models, "{ feedback: { y: x }, stop: { steps: 3 } }");
    Path named = counter.resolveSibling(prefix + "counter");
    if (!named.equals(counter)) {
      Files.move(counter, named);
    }
    Path steps = models.resolve(prefix + "steps");
    Files.createDirectories(steps.resolve("1"));
    Files.writeString(
        steps.resolve("model.yml"),
        """
        max_batch_size: 8
        ensemble:
          steps:
            - model: plain
              inputs: { INPUT0: INPUT0, INPUT1: INPUT1 }
              outputs: { OUTPUT0: OUTPUT0, OUTPUT1: OUTPUT1 }
        """);
  }

  private static void sums(Path model, String settings) throws IOException {
    TestModels.copy(Path.of("src/test/models/oip/addsub"), model);
    Files.writeString(model.resolve("model.yml"), "max_batch_size: 8\n" + settings);
  }

  private static Path version(Path model) {
    return Files.isDirectory(model.resolve("1")) ? model.resolve("1") : model;
  }

  private static String named(Path file) {
    return file.getFileName().toString();
  }

  private static List<JsonNode> answer(HttpCaller http, Asked asked, String prefix) {
    String name = prefix + asked.model();
    HttpCaller.Answer answer =
        http.post("/v2/models/%s/%s".formatted(name, asked.path()), asked.body());
    String text = answer.text().replace("\"" + name + "\"", "\"it\"");
    assertThat(answer.status()).as(text).isEqualTo(200);
    return asked.path().equals("infer")
        ? List.of(Json.read(text))
        : new HttpCaller.Answer(200, null, answer.headers(), Buffer.buffer(text)).events();
  }

  private static boolean isOver(RunningServer server, String model) {
    return server.control().versions(model).stream()
        .flatMap(List::stream)
        .allMatch(version -> version.state() == VersionState.END);
  }
}
