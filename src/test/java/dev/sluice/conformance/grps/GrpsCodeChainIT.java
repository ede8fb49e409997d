package dev.sluice.conformance.grps;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.binding.SettingOverride;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.PluginJar;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A DAG of grps with a plugin in it: whole messages go from node to node. */
class GrpsCodeChainIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern TEXT = Pattern.compile("\"str_data\":\"([^\"]*)\"");

  @TempDir Path folder;

  /** Serves a DAG of these models; {@code your_model} gives back what comes. */
  private RunningServer serve(String... nodes) throws IOException {
    new PluginJar()
        .file("Echo")
        .service("Model", "Echo")
        .service("StreamingModel", "Echo")
        .into(folder.resolve("data/your_model"));
    new PluginJar().file("Prefixed").service("Model", "Prefixed").into(folder.resolve("data/m2"));
    TestModels.copy(Path.of("src/test/models/oip/idf/1"), folder.resolve("data/floats"));
    var inference = new StringBuilder("models:\n");
    for (String model : List.of("your_model", "m2", "floats")) {
      inference.append(
          """
            - {name: %s, version: 1.0.0, inferer_type: customized, inferer_path: data/%s,
               converter_type: none}
          """
              .formatted(model, model));
    }
    inference.append("dag:\n  type: sequential\n  name: dag\n  nodes:\n");
    for (String node : nodes) {
      inference.append("    - {name: n, type: model, model: %s-1.0.0}\n".formatted(node));
    }
    Path conf = Files.createDirectory(folder.resolve("conf"));
    Files.writeString(conf.resolve("inference.yml"), inference);
    Files.writeString(
        conf.resolve("server.yml"),
        """
        interface: {framework: http, host: 127.0.0.1, port: 7080}
        max_connections: 1000
        max_concurrency: 32
        """);
    return RunningServer.start(
        new SluiceConfigReader(_ -> {})
            .read(
                Optional.empty(),
                Map.of(),
                List.of(
                    new SettingOverride("grps.deployment", folder.toString(), "--grps"),
                    new SettingOverride("listeners", "localhost:0", "--listen"))));
  }

  private static String stream(RunningServer server, String body) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      var request =
          HttpRequest.newBuilder(URI.create(server.url() + "/grps/v1/infer/predict?streaming=true"))
              .header("Content-Type", "application/json")
              .POST(BodyPublishers.ofString(body))
              .build();
      return http.send(request, BodyHandlers.ofString()).body();
    }
  }

  @Test
  void eachMessageOfOwnCodeThatStreamsGoesThroughTheNodesBehindIt() throws Exception {
    try (RunningServer server = serve("your_model", "m2")) {
      assertThat(messages(stream(server, "{\"str_data\": \"a\"}")))
          .containsExactly("M2:stream data 1", "M2:stream data 2");
      assertThat(messages(stream(server, "{\"str_data\": \"sfinal\"}")))
          .containsExactly("M2:one", "M2:two");
      assertThat(messages(stream(server, "{\"str_data\": \"snone\"}"))).isEmpty();
      String broken = stream(server, "{\"str_data\": \"sraise\"}");
      assertThat(messages(broken)).containsExactly("M2:one");
      assertThat(broken).contains("ensemble 'dag', step 1 (model 'your_model-1.0.0'): boom");
      assertThat(predict(server, "{\"str_data\": \"a\"}").path("str_data").asText())
          .isEqualTo("M2:a");
    }
    assertThat(TensorMemory.openBlocks()).isZero();
  }

  @Test
  void aNodeBehindThatStreamsAnswersEachMessageByAStream() throws Exception {
    try (RunningServer server = serve("m2", "your_model", "your_model")) {
      assertThat(messages(stream(server, "{\"str_data\": \"a\"}")))
          .containsExactly("stream data 1", "stream data 2", "stream data 1", "stream data 2");
    }
    assertThat(TensorMemory.openBlocks()).isZero();
  }

  /** The texts of a stream's messages. */
  private static List<String> messages(String stream) {
    return TEXT.matcher(stream).results().map(text -> text.group(1)).toList();
  }

  private static JsonNode predict(RunningServer server, String body) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      var request =
          HttpRequest.newBuilder(URI.create(server.url() + "/grps/v1/infer/predict"))
              .header("Content-Type", "application/json")
              .POST(BodyPublishers.ofString(body))
              .build();
      return JSON.readTree(http.send(request, BodyHandlers.ofString()).body());
    }
  }

  @Test
  void ownCodeGetsTheMessageOfOwnCode() throws Exception {
    try (RunningServer server = serve("your_model", "m2")) {
      assertThat(predict(server, "{\"str_data\": \"a\"}").path("str_data").asText())
          .isEqualTo("M2:a");
      assertThat(predict(server, "{\"str_data\": \"raise\"}").at("/status/msg").asText())
          .isEqualTo("ensemble 'dag', step 1 (model 'your_model-1.0.0'): boom");
      assertThat(predict(server, "{\"ndarray\": [1]}").at("/status/code").asInt()).isEqualTo(400);
    }
    assertThat(TensorMemory.openBlocks()).isZero();
  }

  @Test
  void aModelWithDeclaredInputsTakesTensorsOfOwnCodeInTheirOrder() throws Exception {
    try (RunningServer server = serve("your_model", "floats", "your_model")) {
      JsonNode answer = predict(server, "{\"ndarray\": [[1, 2, 3]]}");
      assertThat(answer.at("/gtensors/tensors/0/flat_float32").toString())
          .as(answer.toString())
          .isEqualTo("[1.0,2.0,3.0]");
      assertThat(predict(server, "{\"str_data\": \"f\"}").at("/status/msg").asText())
          .contains("step 2 (model 'floats-1.0.0'): it takes [", "before it gives [a, b]");
      assertThat(predict(server, "{\"str_data\": \"a\"}").at("/status/code").asInt())
          .isEqualTo(400);
    }
    assertThat(TensorMemory.openBlocks()).isZero();
  }
}
