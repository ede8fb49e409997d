package dev.sluice.conformance.oip;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;

import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.RunningServer;
import io.restassured.response.ValidatableResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a Triton configuration says of shapes is the contract with callers. */
class DeclaredShapesIT {
  @TempDir Path models;

  /** An image model as Triton's quick start has it: one item for the model, none for the caller. */
  private void densenet() throws IOException {
    write(
        "densenet",
        new OnnxModelWriter()
            .input("data", OnnxModelWriter.FLOAT, "1", "3", "2", "2")
            .output("scores", OnnxModelWriter.FLOAT, "1", "3", "2", "2")
            .node("Add", "scores", "data", "data"),
        """
        max_batch_size: 0
        input { name: "data" data_type: TYPE_FP32 dims: [ 3, 2, 2 ] reshape { shape: [ 1, 3, 2, 2 ] } }
        output { name: "scores" data_type: TYPE_FP32 dims: [ 12 ] reshape { shape: [ 1, 3, 2, 2 ] } }
        """);
  }

  private void write(String name, OnnxModelWriter model, String config) throws IOException {
    Path version = Files.createDirectories(models.resolve(name).resolve("1"));
    model.writeTo(version);
    Files.writeString(models.resolve(name).resolve("config.pbtxt"), config);
  }

  private static ValidatableResponse infer(
      RunningServer server, String model, String input, String shape, String data) {
    return given()
        .baseUri(server.url())
        .body(
            "{\"inputs\":[{\"name\":\"%s\",\"datatype\":\"FP32\",\"shape\":%s,\"data\":%s}]}"
                .formatted(input, shape, data))
        .post("/v2/models/" + model + "/infer")
        .then();
  }

  @Test
  void tensorsAreReshapedBetweenCallersAndTheModel() throws IOException {
    densenet();
    try (var server = RunningServer.start(models)) {
      String data = "[1,2,3,4,5,6,7,8,9,10,11,12]";
      for (int i = 0; i < 3; i++) {
        infer(server, "densenet", "data", "[3,2,2]", data)
            .statusCode(200)
            .body("outputs[0].shape", equalTo(List.of(12)))
            .body("outputs[0].data[11]", equalTo(24.0f));
      }
      infer(server, "densenet", "data", "[1,3,2,2]", data)
          .statusCode(400)
          .body("error", containsString("[3,2,2]"));
    }
  }

  @Test
  void metadataShowsTheDeclaredShapes() throws IOException {
    densenet();
    try (var server = RunningServer.start(models)) {
      given()
          .baseUri(server.url())
          .get("/v2/models/densenet")
          .then()
          .body("inputs[0].shape", equalTo(List.of(3, 2, 2)))
          .body("outputs[0].shape", equalTo(List.of(12)));
    }
  }

  @Test
  void rowsOfJoinedRequestsAreReshapedToo() throws IOException {
    write(
        "scalars",
        new OnnxModelWriter()
            .input("x", OnnxModelWriter.FLOAT, "rows")
            .output("y", OnnxModelWriter.FLOAT, "rows")
            .node("Add", "y", "x", "x"),
        """
        max_batch_size: 8
        dynamic_batching { }
        input { name: "x" data_type: TYPE_FP32 dims: [ 1 ] reshape { shape: [ ] } }
        output { name: "y" data_type: TYPE_FP32 dims: [ 1 ] reshape { shape: [ ] } }
        """);
    try (var server = RunningServer.start(models)) {
      infer(server, "scalars", "x", "[3,1]", "[1,2,3]")
          .statusCode(200)
          .body("outputs[0].shape", equalTo(List.of(3, 1)))
          .body("outputs[0].data", equalTo(List.of(2.0f, 4.0f, 6.0f)));
    }
  }

  @Test
  void declaredSizesBindWhereTheModelLeavesThemOpen() throws IOException {
    write(
        "open",
        new OnnxModelWriter()
            .input("x", OnnxModelWriter.FLOAT, "rows", "columns")
            .output("y", OnnxModelWriter.FLOAT, "rows", "columns")
            .node("Add", "y", "x", "x"),
        """
        max_batch_size: 4
        input { name: "x" data_type: TYPE_FP32 dims: [ 2 ] }
        output { name: "y" data_type: TYPE_FP32 dims: [ 2 ] }
        """);
    try (var server = RunningServer.start(models)) {
      infer(server, "open", "x", "[1,2]", "[1,2]").statusCode(200);
      infer(server, "open", "x", "[1,3]", "[1,2,3]")
          .statusCode(400)
          .body("error", containsString("[-1,2]"));
    }
  }

  @Test
  void shapesOfDifferentSizesAreRefusedAtLoad() throws IOException {
    write(
        "wrong",
        new OnnxModelWriter()
            .input("x", OnnxModelWriter.FLOAT, "1", "4")
            .output("y", OnnxModelWriter.FLOAT, "1", "4")
            .node("Add", "y", "x", "x"),
        """
        input { name: "x" data_type: TYPE_FP32 dims: [ 3 ] reshape { shape: [ 1, 4 ] } }
        output { name: "y" data_type: TYPE_FP32 dims: [ 1, 4 ] }
        """);
    try (var server = RunningServer.start(models)) {
      assertThat(
              server
                  .control()
                  .versions("wrong")
                  .orElseThrow()
                  .getFirst()
                  .error()
                  .orElseThrow()
                  .message())
          .contains("'x' has dims [3] and reshape [1,4]");
    }
  }
}
