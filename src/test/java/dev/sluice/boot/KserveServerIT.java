package dev.sluice.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.ChildServer;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.TestModels;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code sluice kserve} as a process of its own, over a folder that is filled after its start. */
@Timeout(120)
class KserveServerIT {
  private static final Path MODELS = Path.of("src/test/models/oip");
  private static final String ROW = "{\"instances\":[[1,2,3,4]]}";

  @TempDir private Path place;
  private final int port = ChildServer.freePort();
  private Path mounted;

  @BeforeEach
  void nothingIsMounted() {
    mounted = place.resolve("mnt");
  }

  private ChildServer start(String... more) {
    var line =
        new ArrayList<>(
            List.of(
                "kserve",
                "--model_dir=" + mounted,
                "--model_name=fp",
                "--http_port=" + port,
                "--enable_grpc=false"));
    line.addAll(List.of(more));
    return ChildServer.start(line.toArray(String[]::new));
  }

  private Answer send(String method, String path, String body) {
    try (var caller = new HttpCaller(port)) {
      return caller.send(method, path, Buffer.buffer(body));
    }
  }

  private String get(String path) {
    Answer answer = send("GET", path, "");
    return answer.status() + " " + answer.text();
  }

  private String predict(String model) {
    return send("POST", "/v1/models/" + model + ":predict", ROW).text();
  }

  /** A server that lives, but to which nobody should send requests. */
  private void isWaiting() {
    assertThat(get("/")).isEqualTo("200 {\"status\":\"alive\"}");
    assertThat(get("/v2/health/live")).isEqualTo("200 {\"live\":true}");
    assertThat(get("/v2/health/ready")).startsWith("503 ");
  }

  private void awaitReady() {
    long end = System.nanoTime() + Duration.ofMinutes(1).toNanos();
    while (!get("/v2/health/ready").equals("200 {\"ready\":true}")) {
      assertThat(System.nanoTime()).as("it is not ready").isLessThan(end);
      Thread.onSpinWait();
    }
  }

  @Test
  void aModelWhoseImageIsLinkedLaterIsServedThen() throws IOException {
    try (var child = start()) {
      isWaiting();
      assertThat(get("/v1/models/fp")).matches("(404|503) .*");
      Path image = place.resolve("image");
      TestModels.copy(MODELS.resolve("v1fp"), image);
      Files.createSymbolicLink(mounted, image);
      child.awaitModel("fp/1");
      awaitReady();
      assertThat(get("/grps/v1/health/live")).startsWith("404 ");
      assertThat(get("/metrics")).startsWith("200 ");
      assertThat(get("/v1/models/fp")).isEqualTo("200 {\"name\":\"fp\",\"ready\":true}");
      assertThat(predict("fp")).startsWith("{\"predictions\":[[");
    }
  }

  @Test
  void callersWhoMayControlUnloadAndLoadWhatWasServedAtTheStart() throws IOException {
    TestModels.copy(MODELS.resolve("v1fp"), mounted);
    Path settings =
        Files.writeString(
            place.resolve("sluice.yml"),
            "security: { policies: [{ identities: [anonymous], roles: [inference, metadata,"
                + " control] }] }");
    try (var child = start("--config=" + settings)) {
      child.awaitModel("fp/1");
      awaitReady();
      String path = "/v2/repository/models/fp/";
      assertThat(send("POST", path + "unload", "").text())
          .isEqualTo("{\"name\":\"fp\",\"unload\":true}");
      assertThat(predict("fp")).startsWith("{\"error\":\"Model with name fp is not ready.");
      assertThat(send("POST", path + "load", "").text())
          .isEqualTo("{\"name\":\"fp\",\"load\":true}");
      assertThat(predict("fp")).startsWith("{\"predictions\":[[");
    }
  }

  @Test
  void aFolderOfModelsThatIsFilledLaterIsServedWithTheirNames() throws IOException {
    Files.createDirectories(mounted);
    try (var child = start()) {
      isWaiting();
      for (String model : new String[] {"v1fp", "idf"}) {
        TestModels.copy(MODELS.resolve(model), place.resolve(model));
        Files.move(place.resolve(model), mounted.resolve(model));
      }
      child.awaitModel("v1fp/1");
      child.awaitModel("idf/1");
      awaitReady();
      assertThat(get("/v1/models")).isEqualTo("200 {\"models\":[\"idf\",\"v1fp\"]}");
      assertThat(predict("v1fp")).startsWith("{\"predictions\":[[");
      assertThat(predict("fp")).contains("Model with name fp does not exist.");
    }
  }
}
