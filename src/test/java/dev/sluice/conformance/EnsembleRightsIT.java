package dev.sluice.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.ChildServer;
import dev.sluice.testing.OnnxModelWriter;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who may load some models reaches no other model by an ensemble. */
@Timeout(120)
class EnsembleRightsIT {
  private static final String OPERATOR = "0123456789abcdef-op";
  private static final String OWNER = "0123456789abcdef-own";
  private static final String STEPS =
      """
      name: "ranker-ens"
      platform: "ensemble"
      input { name: "x" data_type: TYPE_FP32 dims: [ 2 ] }
      output { name: "y" data_type: TYPE_FP32 dims: [ 2 ] }
      ensemble_scheduling { step { model_name: "secret" model_version: -1
        input_map { key: "x" value: "x" } output_map { key: "y" value: "y" } } }
      """;

  @TempDir private Path folder;
  private final HttpClient client = HttpClient.newHttpClient();
  private ChildServer server;
  private int port;

  @BeforeEach
  void start() throws IOException {
    Path models = folder.resolve("models");
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "2")
        .output("y", OnnxModelWriter.FLOAT, "2")
        .node("Add", "y", "x", "x")
        .writeTo(Files.createDirectories(models.resolve("secret/1")));
    Files.createDirectories(models.resolve("ranker-ens/1"));
    Files.writeString(models.resolve("ranker-ens/config.pbtxt"), STEPS);
    Path settings =
        Files.writeString(
            folder.resolve("sluice.yml"),
            """
            security:
              api_keys: { keys: ["op: %s", "own: %s"] }
              policies:
                - identities: [anonymous]
                  roles: [metadata]
                - identities: ["key:op"]
                  roles: [inference, control]
                - identities: ["key:own"]
                  roles: [inference, control]
                  models: ["ranker-*"]
            models: { directory: %s, control: explicit, load: ["secret"] }
            """
                .formatted(OPERATOR, OWNER, models));
    port = ChildServer.freePort();
    server =
        ChildServer.start(
            "serve", "--config", settings.toString(), "--listen", "localhost:" + port);
    server.awaitModel("secret/1");
  }

  @AfterEach
  void stop() {
    server.terminate();
    assertThat(server.exitCode()).isZero();
  }

  private HttpResponse<String> post(String key, String path, String body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/v2/" + path))
            .header("Content-Type", "application/json")
            .header("Authorization", "Bearer " + key)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  private static String composedOf(String member) {
    String config = STEPS.replace("ranker-ens", "ranker-evil").replace("secret", member);
    String json =
        """
        {\\"platform\\":\\"ensemble\\",\\"input\\":[{\\"name\\":\\"x\\",\\"data_type\\":\\"TYPE_FP32\\",\
        \\"dims\\":[\\"2\\"]}],\\"output\\":[{\\"name\\":\\"y\\",\\"data_type\\":\\"TYPE_FP32\\",\\"dims\\":\
        [\\"2\\"]}],\\"ensemble_scheduling\\":{\\"step\\":[{\\"model_name\\":\\"%s\\",\\"model_version\\":\
        \\"-1\\",\\"input_map\\":{\\"x\\":\\"x\\"},\\"output_map\\":{\\"y\\":\\"y\\"}}]}}\
        """
            .formatted(member);
    return "{\"parameters\":{\"config\":\"%s\",\"file:1/model.onnx\":\"%s\"}}"
        .formatted(json, Base64.getEncoder().encodeToString(config.getBytes(UTF_8)));
  }

  @Test
  void ensembleThatACallerSendsIsComposedOnlyOfModelsThatTheCallerMayAsk() throws Exception {
    String load = "repository/models/ranker-evil/load";
    HttpResponse<String> refused = post(OWNER, load, composedOf("secret"));
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(403);
    assertThat(refused.body()).contains("'key:own'", "'secret'");
    HttpResponse<String> allowed = post(OPERATOR, load, composedOf("secret"));
    assertThat(allowed.statusCode()).as(allowed.body()).isEqualTo(200);
  }

  @Test
  void memberThatIsNotLoadedIsLoadedOnlyForWhoMayLoadIt() throws Exception {
    String load = "repository/models/ranker-ens/load";
    assertThat(post(OWNER, load, "{}").statusCode()).isEqualTo(200);
    assertThat(post(OPERATOR, "repository/models/ranker-ens/unload", "{}").statusCode())
        .isEqualTo(200);
    assertThat(post(OPERATOR, "repository/models/secret/unload", "{}").statusCode()).isEqualTo(200);
    HttpResponse<String> refused = post(OWNER, load, "{}");
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(403);
    assertThat(refused.body()).contains("'key:own'");
    assertThat(post(OPERATOR, load, "{}").statusCode()).isEqualTo(200);
  }
}
