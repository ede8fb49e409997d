package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.binding.SettingOverride;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Repositories as people have them for Triton: what their {@code config.pbtxt} says is done. */
class TritonRepositoryIT {
  private static final String ROWS =
      """
      input { name: "x" data_type: TYPE_FP32 dims: [ 2 ] }
      output { name: "y" data_type: TYPE_FP32 dims: [ 2 ] label_filename: "labels.txt" }
      """;

  @TempDir Path models;

  private Path model(String name, String config) throws IOException {
    Path version = Files.createDirectories(models.resolve(name).resolve("1"));
    OnnxModelWriter.twice().writeTo(version);
    Files.writeString(models.resolve(name).resolve("config.pbtxt"), config);
    Files.writeString(models.resolve(name).resolve("labels.txt"), "first\nsecond\n");
    return version;
  }

  private static JsonNode get(RunningServer server, String path) throws IOException {
    try (var caller = new HttpCaller(server.port())) {
      return new JsonMapper().readTree(caller.send("GET", path, Buffer.buffer()).text());
    }
  }

  private static String infer(RunningServer server, String model) {
    try (var caller = new HttpCaller(server.port())) {
      return caller
          .send(
              "POST",
              "/v2/models/" + model + "/infer",
              Buffer.buffer(
                  "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[1,2],"
                      + "\"data\":[1,2]}]}"))
          .text();
    }
  }

  private static String failure(RunningServer server, String model) {
    VersionStatus status = server.control().versions(model).orElseThrow().getFirst();
    return status.error().orElseThrow().message();
  }

  @Test
  void theWholeConfigurationIsGivenBack() throws IOException {
    model(
        "m",
        ROWS
            + """
            max_batch_size: 8
            dynamic_batching { preferred_batch_size: [ 4 ] max_queue_delay_microseconds: 100 }
            parameters { key: "a" value { string_value: "b" } }
            instance_group [ { count: 2 kind: KIND_CPU } ]
            model_transaction_policy { decoupled: false }
            """);
    try (var server = RunningServer.start(models)) {
      JsonNode config = get(server, "/v2/models/m/config");
      assertThat(config.path("name").textValue()).isEqualTo("m");
      assertThat(config.path("platform").textValue()).isEqualTo("onnxruntime_onnx");
      assertThat(config.path("max_batch_size").intValue()).isEqualTo(8);
      assertThat(config.at("/version_policy/latest/num_versions").intValue()).isEqualTo(1);
      assertThat(config.at("/input/0").toString())
          .isEqualTo(
              "{\"name\":\"x\",\"data_type\":\"TYPE_FP32\",\"format\":\"FORMAT_NONE\",\"dims\":[2],"
                  + "\"is_shape_tensor\":false,\"allow_ragged_batch\":false,\"optional\":false,"
                  + "\"is_non_linear_format_io\":false}");
      assertThat(config.at("/output/0/label_filename").textValue()).isEqualTo("labels.txt");
      assertThat(config.at("/dynamic_batching/preferred_batch_size").toString()).isEqualTo("[4]");
      assertThat(config.at("/dynamic_batching/max_queue_delay_microseconds").intValue())
          .isEqualTo(100);
      assertThat(config.at("/instance_group/0/count").intValue()).isEqualTo(2);
      assertThat(config.at("/instance_group/0/name").textValue())
          .isEqualTo(config.at("/name").textValue() + "_0");
      assertThat(config.at("/parameters/a/string_value").textValue()).isEqualTo("b");
      assertThat(config.at("/response_cache/enable").booleanValue()).isFalse();
      assertThat(config.has("ensemble_scheduling")).isFalse();
    }
  }

  @Test
  void anEnsembleAsTritonWritesIt() throws IOException {
    model("m", ROWS + "max_batch_size: 8");
    Files.createDirectories(models.resolve("pipeline/1"));
    Files.writeString(
        models.resolve("pipeline/config.pbtxt"),
        """
        name: "pipeline"
        platform: "ensemble"
        max_batch_size: 4
        input [ { name: "x" data_type: TYPE_FP32 dims: [ 2 ] } ]
        output [ { name: "out" data_type: TYPE_FP32 dims: [ 2 ] } ]
        ensemble_scheduling {
          step [
            {
              model_name: "m"
              model_version: -1
              input_map { key: "x" value: "x" }
              output_map { key: "y" value: "between" }
            },
            {
              model_name: "m"
              model_version: 1
              input_map { key: "x" value: "between" }
              output_map { key: "y" value: "out" }
            }
          ]
        }
        """);
    try (var server = RunningServer.start(models)) {
      assertThat(infer(server, "pipeline")).contains("\"data\":[4.0,8.0]");
      JsonNode config = get(server, "/v2/models/pipeline/config");
      assertThat(config.at("/ensemble_scheduling/step/1/input_map/x").textValue())
          .isEqualTo("between");
      assertThat(config.at("/ensemble_scheduling/step/0/model_version").intValue()).isEqualTo(-1);
      assertThat(config.path("platform").textValue()).isEqualTo("ensemble");
    }
  }

  @Test
  void answersAreKeptIfTheConfigurationWantsIt() throws IOException {
    model("m", ROWS + "max_batch_size: 8 response_cache { enable: true }");
    long blocksBefore = TensorMemory.openBlocks();
    try (var server = RunningServer.start(models)) {
      String first = infer(server, "m");
      long kept = TensorMemory.openBlocks();
      assertThat(kept).isEqualTo(blocksBefore + 1);
      assertThat(infer(server, "m")).isEqualTo(first).contains("[2.0,4.0]");
      assertThat(TensorMemory.openBlocks()).isEqualTo(kept);
      assertThat(get(server, "/v2/models/m/config").at("/response_cache/enable").booleanValue())
          .isTrue();
      JsonNode counted = get(server, "/v2/models/m/stats").at("/model_stats/0/inference_stats");
      assertThat(counted.at("/success/count").asInt()).isEqualTo(2);
      assertThat(counted.at("/queue/count").asInt()).as("as there").isEqualTo(2);
      assertThat(counted.at("/compute_infer/count").asInt()).isEqualTo(1);
      assertThat(counted.at("/cache_hit/count").asInt()).isEqualTo(1);
    }
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore);
  }

  @Test
  void modelsThatSayNothingOfBatchesHaveTheDefaultOneWhereTheirShapesAllowIt() throws IOException {
    model("bare", "");
    model("told", "max_batch_size: 0");
    model("declared", ROWS.replace("[ 2 ]", "[ -1, 2 ]"));
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "2")
        .output("y", OnnxModelWriter.FLOAT, "2")
        .node("Add", "y", "x", "x")
        .writeTo(Files.createDirectories(models.resolve("fixed/1")));
    SluiceConfig settings =
        new SluiceConfigReader(_ -> {})
            .read(
                Optional.empty(),
                Map.of(),
                List.of(
                    new SettingOverride("listeners", "localhost:0", "test"),
                    new SettingOverride("models.directory", models.toString(), "test"),
                    new SettingOverride("models.defaults.default_max_batch_size", "4", "test")));
    try (var server = RunningServer.start(settings)) {
      JsonNode bare = get(server, "/v2/models/bare/config");
      assertThat(bare.at("/max_batch_size").asInt()).isEqualTo(4);
      assertThat(bare.at("/input/0/dims").toString()).isEqualTo("[2]");
      assertThat(bare.has("dynamic_batching")).isTrue();
      assertThat(get(server, "/v2/models/bare").at("/inputs/0/shape").toString())
          .isEqualTo("[-1,2]");
      assertThat(infer(server, "bare")).contains("[2.0,4.0]");
      for (String model : List.of("told", "declared", "fixed")) {
        assertThat(get(server, "/v2/models/" + model + "/config").at("/max_batch_size").asInt())
            .as(model)
            .isZero();
      }
    }
  }

  @Test
  void filesMayHaveOtherNames() throws IOException {
    Path version = model("m", "default_model_filename: \"net.onnx\"");
    Files.move(version.resolve("model.onnx"), version.resolve("net.onnx"));
    Path savedModel = models.resolve("half_plus_two/1/model.savedmodel");
    TestModels.copy(TestModels.sample("half_plus_two", "1"), savedModel);
    try (var server = RunningServer.start(models)) {
      assertThat(infer(server, "m")).contains("[2.0,4.0]");
      assertThat(get(server, "/v2/models/half_plus_two/config").path("platform").textValue())
          .isEqualTo("tensorflow_savedmodel");
    }
  }

  @Test
  void aVersionWhoseWarmUpFailsDoesNotComeUp() throws IOException {
    String sample = "model_warmup { name: \"s\" batch_size: 2 count: 2 inputs { key: \"x\" value {";
    model(
        "good",
        ROWS
            + "max_batch_size: 8\n"
            + sample
            + " data_type: TYPE_FP32 dims: [2] random_data: true } } }");
    model(
        "wrong",
        ROWS
            + "max_batch_size: 8\n"
            + sample
            + " data_type: TYPE_FP32 dims: [3] zero_data: true } } }");
    model(
        "absent",
        ROWS + "max_batch_size: 8\n" + sample + " dims: [2] input_data_file: \"../x\" } } }");
    Path filed =
        model(
            "filed",
            ROWS + "max_batch_size: 8\n" + sample + " dims: [2] input_data_file: \"raw\" } } }");
    Files.write(
        Files.createDirectories(filed.resolveSibling("warmup")).resolve("raw"), new byte[16]);
    try (var server = RunningServer.start(models)) {
      assertThat(infer(server, "good")).contains("[2.0,4.0]");
      assertThat(infer(server, "filed")).contains("[2.0,4.0]");
      assertThat(failure(server, "wrong")).startsWith("model wrong/1: warm-up 's' failed: ");
      assertThat(failure(server, "absent")).contains("'../x' does not lie in");
    }
  }

  @Test
  void aConfigurationOfAnotherModelIsRefused() throws IOException {
    model("m", "name: \"other\"");
    model("names", "input { name: \"z\" data_type: TYPE_FP32 dims: [ 2 ] }");
    model("types", "input { name: \"x\" data_type: TYPE_INT8 dims: [ -1, 2 ] }");
    model("shapes", "input { name: \"x\" data_type: TYPE_FP32 dims: [ 3 ] } max_batch_size: 1");
    try (var server = RunningServer.start(models)) {
      assertThat(failure(server, "m"))
          .endsWith(
              "unexpected directory name 'm' for model 'other', directory name must equal model"
                  + " name");
      assertThat(failure(server, "names"))
          .isEqualTo("model names/1: unexpected inference input 'z', allowed inputs are: x");
      assertThat(failure(server, "types"))
          .isEqualTo("model types/1: input 'x' is declared as TYPE_INT8, the model has TYPE_FP32");
      assertThat(failure(server, "shapes"))
          .isEqualTo(
              "model shapes/1: input 'x' is declared with shape [-1,3], the model has [-1,2]");
    }
  }

  @Test
  void dimsWhoseProductIsTooLargeAreRefusedByName() throws IOException {
    String huge = "4611686018427387904, 4";
    model(
        "reshaped",
        "input { name: \"x\" data_type: TYPE_FP32 dims: [ -1, %s ] reshape { shape: [ -1, %s ] } }"
            .formatted(huge, huge));
    model("plain", "output { name: \"y\" data_type: TYPE_FP32 dims: [ -1, %s ] }".formatted(huge));
    try (var server = RunningServer.start(models)) {
      String why = "dims [-1,4611686018427387904,4], which are more bytes of TYPE_FP32 than can be";
      assertThat(failure(server, "reshaped")).contains("input 'x' has " + why);
      assertThat(failure(server, "plain")).contains("output 'y' has " + why);
    }
  }

  private void member(String name, String settings, String... dims) throws IOException {
    Path version = Files.createDirectories(models.resolve(name).resolve("1"));
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, dims)
        .output("y", OnnxModelWriter.FLOAT, dims)
        .node("Add", "y", "x", "x")
        .writeTo(version);
    Files.writeString(models.resolve(name).resolve("config.pbtxt"), ROWS + settings);
    Files.writeString(models.resolve(name).resolve("labels.txt"), "first\nsecond\n");
  }

  @Test
  void anEnsembleWithoutBatchesMixesMembersThatHaveThemAndThatDoNot() throws IOException {
    member("rows", "max_batch_size: 8\n", "rows", "2");
    member("plain", "", "2");
    Files.createDirectories(models.resolve("mixed/1"));
    Files.writeString(
        models.resolve("mixed/config.pbtxt"),
        """
        platform: "ensemble"
        input { name: "x" data_type: TYPE_FP32 dims: [ 2 ] }
        output { name: "scores" data_type: TYPE_FP32 dims: [ 2 ] }
        ensemble_scheduling {
          step { model_name: "rows" model_version: -1
            input_map { key: "x" value: "x" } output_map { key: "y" value: "a" } }
          step { model_name: "plain" model_version: -1
            input_map { key: "x" value: "a" } output_map { key: "y" value: "b" } }
          step { model_name: "rows" model_version: -1
            input_map { key: "x" value: "b" } output_map { key: "y" value: "scores" } }
        }
        """);
    try (var server = RunningServer.start(models);
        var caller = new HttpCaller(server.port())) {
      String request =
          "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[2],\"data\":[1,2]}]%s}";
      assertThat(
              caller
                  .send("POST", "/v2/models/mixed/infer", Buffer.buffer(request.formatted("")))
                  .text())
          .contains("\"shape\":[2],\"data\":[8.0,16.0]");
      String classes = ",\"outputs\":[{\"name\":\"scores\",\"parameters\":{\"classification\":2}}]";
      assertThat(
              caller
                  .send("POST", "/v2/models/mixed/infer", Buffer.buffer(request.formatted(classes)))
                  .text())
          .as("the labels of the member that writes the output")
          .contains("\"16.000000:1:second\",\"8.000000:0:first\"");
    }
  }
}
