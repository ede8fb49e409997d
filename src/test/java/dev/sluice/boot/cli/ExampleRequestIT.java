package dev.sluice.boot.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.boot.SluiceServer;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.testing.RunningServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The request that the server proposes when it starts is one that each sample model answers. */
class ExampleRequestIT {
  private static final Path SAMPLES = Path.of("src/sample/models").toAbsolutePath();

  @Test
  void eachSampleAnswersTheRequestThatIsProposedForIt() throws Exception {
    ListenerConfig listener = ListenerConfig.DEFAULT.withPort(0);
    SluiceConfig settings =
        RunningServer.settings(
            listener, RepositoryConfig.of(new DesiredModels(SAMPLES, Map.of()), Duration.ZERO));
    try (Server server = SluiceServer.startSettled(settings)) {
      var example = new ExampleRequest(listener, server.addresses().getFirst());
      List<ModelLine> models = server.models();
      assertThat(models).hasSizeGreaterThan(5);
      for (ModelLine model : models) {
        String curl = example.curl(List.of(model)).orElseThrow();
        assertThat(run(curl.replaceFirst("^curl", "curl -s --fail-with-body")))
            .as(curl)
            .containsAnyOf("\"predictions\"", "\"model_name\"");
      }
    }
  }

  private static String run(String command) throws Exception {
    Process process = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(command + "\n" + output).isZero();
    return output;
  }
}
