package dev.sluice.conformance.grps;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.binding.SettingOverride;
import dev.sluice.testing.RunningServer;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A deployment of grps' own server, served as it is. */
class GrpsDeploymentIT {
  private static final String SERVER =
      """
      interface: {framework: http+brpc, host: 127.0.0.1, port: "7080,7081"}
      max_connections: 1000
      max_concurrency: 32
      """;

  private static final String INFERENCE =
      """
      models:
        - name: floats
          version: 2.1.0
          inferer_type: torch
          inferer_path: data/floats.onnx
          converter_type: torch
          batching: {type: dynamic, max_batch_size: 4, batch_timeout_us: 100}
        - name: half
          version: 1.0.0
          inferer_type: tensorflow
          inferer_path: data/half
          converter_type: tensorflow
        - name: again
          version: 1.0.0
          inferer_type: tensorflow
          inferer_path: data/half
          converter_type: tensorflow
      dag:
        type: sequential
        name: twice
        nodes:
          - {name: a, type: model, model: half-1.0.0}
          - {name: b, type: model, model: again-1.0.0}
      """;

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir static Path folder;
  private static RunningServer server;
  private static HttpClient http;

  @BeforeAll
  static void start() throws IOException {
    Path data = Files.createDirectories(folder.resolve("data/half/variables"));
    Path half = Path.of("src/sample/models/half_plus_two");
    Path version = folderOfNumber(half);
    Files.copy(version.resolve("saved_model.pb"), folder.resolve("data/half/saved_model.pb"));
    for (String file : List.of("variables.index", "variables.data-00000-of-00001")) {
      Files.copy(version.resolve("variables").resolve(file), data.resolve(file));
    }
    Path floats = Path.of("src/test/models/oip/idf");
    try (var files = Files.walk(floats)) {
      Path model = files.filter(path -> path.endsWith("model.onnx")).findFirst().orElseThrow();
      Files.copy(model, folder.resolve("data/floats.onnx"));
    }
    Path conf = Files.createDirectory(folder.resolve("conf"));
    Files.writeString(conf.resolve("server.yml"), SERVER);
    Files.writeString(conf.resolve("inference.yml"), INFERENCE);
    server =
        RunningServer.start(
            new SluiceConfigReader(_ -> {})
                .read(
                    Optional.empty(),
                    Map.of(),
                    List.of(
                        new SettingOverride("grps.deployment", folder.toString(), "--grps"),
                        new SettingOverride("listeners", "localhost:0", "--listen"))));
    http = HttpClient.newHttpClient();
  }

  private static Path folderOfNumber(Path model) throws IOException {
    try (var files = Files.list(model)) {
      return files.filter(Files::isDirectory).sorted().findFirst().orElseThrow();
    }
  }

  @AfterAll
  static void stop() {
    http.close();
    server.close();
  }

  private static JsonNode post(String path, String body) throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(server.url() + "/grps/v1" + path))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body))
            .build();
    return JSON.readTree(http.send(request, BodyHandlers.ofString()).body());
  }

  @Test
  void withoutANameTheModelsOfTheDagAreAskedOneBehindTheOther() throws Exception {
    assertThat(post("/infer/predict?return-ndarray=true", "{\"ndarray\": [2]}").get("ndarray"))
        .isEqualTo(JSON.readTree("[3.5]"));
    assertThat(
            post("/infer/predict?return-ndarray=true&model=half-1.0.0", "{\"ndarray\": [2]}")
                .get("ndarray"))
        .isEqualTo(JSON.readTree("[3.0]"));
  }

  @Test
  void everyModelIsAskedByItsNameAndVersion() throws Exception {
    JsonNode answer =
        post("/infer/predict?return-ndarray=true&model=floats-2.1.0", "{\"ndarray\": [[1, 2, 3]]}");
    assertThat(answer.get("ndarray"))
        .as(answer.toString())
        .isEqualTo(JSON.readTree("[[1.0,2.0,3.0]]"));
    assertThat(
            post("/infer/predict?model=floats-2", "{\"ndarray\": [1]}").at("/status/code").asInt())
        .isEqualTo(500);
  }

  @Test
  void metadataIsTheFilesOfTheDeployment() throws Exception {
    String text = post("/metadata/server", "").get("str_data").asText();
    JsonNode yaml = new YAMLMapper().readTree(text);
    assertThat(yaml.at("/interface/framework").asText()).isEqualTo("http+brpc");
    assertThat(yaml.at("/models/1/name").asText()).isEqualTo("half");
    assertThat(yaml.at("/dag/nodes/0/model").asText()).isEqualTo("half-1.0.0");
  }

  @Test
  void aModelIsDescribedByItsPartOfTheFileAndItsTensors() throws Exception {
    for (String name : List.of("floats", "floats-2.1.0")) {
      String text =
          post("/metadata/model", "{\"str_data\": \"" + name + "\"}").get("str_data").asText();
      JsonNode yaml = new YAMLMapper().readTree(text);
      assertThat(yaml.get("version").asText()).isEqualTo("2.1.0");
      assertThat(yaml.at("/batching/max_batch_size").asInt()).isEqualTo(4);
      assertThat(yaml.at("/inputs/0/dtype").asText()).isEqualTo("DT_FLOAT32");
    }
  }
}
