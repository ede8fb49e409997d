package dev.sluice.conformance.tfs;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;

import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.binding.SettingOverride;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Versions that say by a file of TensorFlow Serving how their requests run together. */
class VersionBatchingIT {
  private static final Path HALF = Path.of("src/sample/models/half_plus_two/1");

  @TempDir Path models;

  private void model(String name) throws IOException {
    TestModels.copy(HALF, models.resolve(name).resolve("1"));
  }

  private void file(String model, String text) throws IOException {
    Files.writeString(models.resolve(model).resolve("1/batching_params.pbtxt"), text);
  }

  private RunningServer serve() {
    return RunningServer.start(
        new SluiceConfigReader(_ -> {})
            .read(
                Optional.empty(),
                Map.of(),
                List.of(
                    new SettingOverride("listeners", "localhost:0", "test"),
                    new SettingOverride("models.directory", models.toString(), "test"),
                    new SettingOverride(
                        "models.tensorflow_config.batching_in_versions", "true", "test"))));
  }

  @Test
  void rowsOfDifferentSizesRunTogetherOnceTheyArePadded() throws Exception {
    model("padded");
    file(
        "padded",
        """
        max_batch_size { value: 2 } batch_timeout_micros { value: 60000000 }
        pad_variable_length_inputs: true
        """);
    try (RunningServer server = serve();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      // Neither leaves without the other: two rows are a batch.
      Future<String> small = threads.submit(() -> predict(server, "[[1.0]]"));
      Future<String> large = threads.submit(() -> predict(server, "[[2.0,4.0,6.0]]"));
      assertThat(small.get(1, TimeUnit.MINUTES)).isEqualTo("[[2.5,2.5,2.5]]");
      assertThat(large.get(1, TimeUnit.MINUTES)).isEqualTo("[[3.0,4.0,5.0]]");
    }
  }

  private static String predict(RunningServer server, String rows) {
    String body =
        given()
            .urlEncodingEnabled(false)
            .body("{\"instances\":" + rows + "}")
            .post(server.url() + "/v1/models/padded:predict")
            .asString();
    return body.replaceFirst("\\{\"predictions\":(.*)}", "$1");
  }

  @Test
  void aVersionIsJoinedByItsOwnFileAndOneWithoutIsNot() throws IOException {
    model("joined");
    model("alone");
    file("joined", "max_batch_size { value: 32 } batch_timeout_micros { value: 100 }");
    try (RunningServer server = serve()) {
      requireBatch(server, "joined", 32);
      requireBatch(server, "alone", 0);
      given()
          .urlEncodingEnabled(false)
          .body("{\"instances\":[1.0,2.0]}")
          .post(server.url() + "/v1/models/joined:predict")
          .then()
          .statusCode(200)
          .body("predictions", equalTo(List.of(2.5f, 3.0f)));
    }
  }

  private static void requireBatch(RunningServer server, String model, int rows) {
    given()
        .get(server.url() + "/v2/models/" + model + "/config")
        .then()
        .statusCode(200)
        .body("max_batch_size", equalTo(rows));
  }

  @Test
  void aFileThatCannotBeReadFailsItsVersionAlone() throws IOException {
    model("broken");
    model("good");
    file("broken", "max_batch_size { value: ");
    try (RunningServer server = serve()) {
      given()
          .get(server.url() + "/v1/models/broken")
          .then()
          .statusCode(200)
          .body("model_version_status[0].status.error_message", containsString("batching_params"));
      requireBatch(server, "good", 0);
    }
  }
}
