package dev.sluice.conformance.grps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.binding.SettingOverride;
import dev.sluice.testing.PluginJar;
import dev.sluice.testing.RunningServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The {@code max_concurrency} of a deployment: so many calls of a plugin are under way at once. */
class GrpsConcurrencyIT {
  private static final int CALLS = 4;

  /** Answers its callers once there are four of them; alone, nobody is answered. */
  private static final String MEETING =
      """
      import dev.sluice.extension.*;
      import java.util.concurrent.*;

      public class Meeting implements Model {
        private final CyclicBarrier all = new CyclicBarrier(%d);

        @Override
        public ModelSignature signature() {
          return ModelSignature.OPEN;
        }

        @Override
        public Answer run(Request request) throws Exception {
          all.await(20, TimeUnit.SECONDS);
          return new Answer(request.inputs(), request.parameters());
        }
      }
      """
          .formatted(CALLS);

  @TempDir Path folder;

  @Test
  void callsOfAPluginRunAtOnceAndShareItsObject() throws Exception {
    new PluginJar()
        .source("Meeting", MEETING)
        .service("Model", "Meeting")
        .into(folder.resolve("data/meeting"));
    Path conf = Files.createDirectory(folder.resolve("conf"));
    Files.writeString(
        conf.resolve("server.yml"),
        """
        interface: {framework: http, host: 127.0.0.1, port: 7080}
        max_connections: 1000
        max_concurrency: %d
        """
            .formatted(CALLS));
    Files.writeString(
        conf.resolve("inference.yml"),
        """
        models:
          - {name: meeting, version: 1.0.0, inferer_type: customized, inferer_path: data/meeting,
             converter_type: none}
        dag: {type: sequential, name: dag, nodes: [{name: n, type: model, model: meeting-1.0.0}]}
        """);
    var settings =
        List.of(
            new SettingOverride("grps.deployment", folder.toString(), "--grps"),
            new SettingOverride("listeners", "localhost:0", "--listen"));
    try (var server =
            RunningServer.start(
                new SluiceConfigReader(_ -> {}).read(Optional.empty(), Map.of(), settings));
        var http = HttpClient.newHttpClient()) {
      var request =
          HttpRequest.newBuilder(URI.create(server.url() + "/grps/v1/infer/predict"))
              .header("Content-Type", "application/json")
              .POST(BodyPublishers.ofString("{\"str_data\": \"here\"}"))
              .build();
      List<CompletableFuture<HttpResponse<String>>> answers =
          IntStream.range(0, CALLS)
              .mapToObj(_ -> http.sendAsync(request, BodyHandlers.ofString()))
              .toList();
      assertThat(answers)
          .allSatisfy(answer -> assertThat(answer.join().body()).contains("\"str_data\":\"here\""));
    }
  }
}
