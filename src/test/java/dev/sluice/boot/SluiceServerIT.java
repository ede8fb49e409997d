package dev.sluice.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.VersionState;
import dev.sluice.testing.RunningServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class SluiceServerIT {
  private static final Path SAMPLES = Path.of("src/sample/models");

  @Test
  void theSampleModelsTakeRequestsOnceTheServerHasSettled() {
    try (var server = RunningServer.start(SAMPLES)) {
      assertThat(server.control().models())
          .containsExactly(
              "addsub", "chat", "digits", "half_plus_two", "language", "types", "writer");
      assertThat(server.control().versions("digits").orElseThrow())
          .allSatisfy(version -> assertThat(version.state()).isEqualTo(VersionState.AVAILABLE));
    }
  }

  @Test
  void anUnclaimedPathIsNotFoundAndTheConnectionGoesOn() throws Exception {
    try (var server = RunningServer.start(SAMPLES);
        var client = HttpClient.newHttpClient()) {
      var request = HttpRequest.newBuilder(URI.create(server.url() + "/nobody/here")).build();
      for (int i = 0; i < 2; i++) {
        var answer = client.send(request, BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.body()).isEqualTo("{\"error\":\"Not Found\"}");
      }
    }
  }
}
