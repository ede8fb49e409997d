package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.SluiceConfigReader;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.PluginJar;
import dev.sluice.testing.RunningServer;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Paths that plugins bring with them, beside those of the protocols. */
class PluginPathsIT {
  @TempDir private static Path models;

  @BeforeAll
  static void writeModels() throws IOException {
    write("free", "/v1/say");
    write("free_v2", "/v2/models/free/say");
    write("v1", "/v1/models/v1");
    write("v2", "/v2/health/live");
    write("grps", "/grps/v1/infer/predict");
    write("metrics", "/metrics");
    write("chat", "/v1/chat/completions");
    write("rank", "/v2/rerank");
    write("tokens", "/tokenize");
    write("files", "/openai/v1/files");
    write("past", "/v1/responses/past");
  }

  private static void write(String name, String path) throws IOException {
    Path folder = models.resolve(name);
    new PluginJar().file("Echoes").service("HttpHandler", "Echoes").into(folder.resolve("1"));
    Files.writeString(folder.resolve("model.yml"), "java: { path: " + path + " }\n");
  }

  private static RunningServer start(Path folder, String listeners) throws IOException {
    Path settings = folder.resolve("sluice.yml");
    Files.writeString(
        settings,
        """
        listeners: [%s]
        models: { directory: "%s", poll_interval: 0s, plugins: ["%s"] }
        """
            .formatted(listeners, models, models));
    return RunningServer.start(
        new SluiceConfigReader(_ -> {}).read(Optional.of(settings), Map.of(), List.of()));
  }

  private static String index(HttpCaller caller) {
    return caller.send("POST", "/v2/repository/index", Buffer.buffer("{}")).text();
  }

  @Test
  void pathThatAProtocolHasIsRefusedWhenTheModelIsLoaded(@TempDir Path folder) throws IOException {
    try (RunningServer server = start(folder, "{ address: 'localhost:0' }");
        var caller = new HttpCaller(server.port())) {
      assertThat(index(caller))
          .contains(refusal("v1", "/v1/models/v1"))
          .contains(refusal("v2", "/v2/health/live"))
          .contains(refusal("grps", "/grps/v1/infer/predict"))
          .contains(refusal("metrics", "/metrics"))
          .contains(refusal("chat", "/v1/chat/completions"))
          .contains(refusal("rank", "/v2/rerank"))
          .contains(refusal("tokens", "/tokenize"));
    }
  }

  private static String refusal(String model, String path) {
    return "\"name\":\"%s\",\"version\":\"1\",\"state\":\"UNAVAILABLE\",\"reason\":"
            .formatted(model)
        + "\"java.path is %s, which a protocol answers on every listener\"".formatted(path);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/v1/say", "/v2/models/free/say", "/openai/v1/files", "/v1/responses/past"})
  void pathBelowThoseOfAProtocolWhereItHasNothingIsThePlugins(String path, @TempDir Path folder)
      throws IOException {
    try (RunningServer server = start(folder, "{ address: 'localhost:0' }");
        var caller = new HttpCaller(server.port())) {
      Answer answer = caller.send("POST", path + "?whole", Buffer.buffer("you"));
      assertThat(answer.status()).as(answer.text()).isEqualTo(201);
      assertThat(answer.text()).isEqualTo("you");
    }
  }

  @Test
  void pathThatOneListenerLeavesToPluginsIsAnsweredThereAlone(@TempDir Path folder)
      throws IOException {
    String listeners =
        "{ address: 'localhost:0', protocols: [oip] }, { address: 'localhost:0', protocols: [grps]"
            + " }";
    try (RunningServer server = start(folder, listeners);
        var oip = new HttpCaller(server.ports().get(0));
        var grps = new HttpCaller(server.ports().get(1))) {
      assertThat(oip.send("GET", "/v2/health/live?whole", Buffer.buffer()).status()).isEqualTo(200);
      assertThat(grps.send("GET", "/v2/health/live?whole", Buffer.buffer()).status())
          .isEqualTo(201);
    }
  }
}
