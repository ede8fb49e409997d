package dev.sluice.conformance.kserve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.RunningServer;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code :explain} over HTTP, in front of ONNX models whose Shapley values are known. */
class ExplainIT {
  private static final int FLOAT = OnnxModelWriter.FLOAT;

  @TempDir private static Path models;
  private static RunningServer server;
  private static HttpCaller caller;

  @BeforeAll
  static void start() throws IOException {
    linear("linear", "max_batch_size: 8\nexplain: { method: shapley, max_samples: 300 }\n", 1);
    linear("linear", "", 2);
    linear("plain", "", 1);
    linear("explained", "explain: { model: plain }\n", 1);
    linear("orphan", "explain: { model: nobody }\n", 1);
    trees();
    server = RunningServer.start(models);
    caller = new HttpCaller(server.port());
  }

  /** y = version * (x0 + 2 x1 - x2). */
  private static void linear(String name, String settings, int version) throws IOException {
    Path folder = Files.createDirectories(models.resolve(name + "/" + version));
    if (!settings.isEmpty()) {
      Files.writeString(models.resolve(name + "/model.yml"), "version_policy: all\n" + settings);
    }
    new OnnxModelWriter()
        .input("X", FLOAT, "N", "3")
        .output("Y", FLOAT, "N", "1")
        .matrix("W", 3, 1, version, 2 * version, -version)
        .node("MatMul", "Y", "X", "W")
        .writeTo(folder);
  }

  /** y = 4 [x0 > 0.5][x1 > 0.5] + 2 [x1 > 0.5][x2 > 0.5]: two trees of depth two. */
  private static void trees() throws IOException {
    Path folder = Files.createDirectories(models.resolve("trees/1"));
    Files.writeString(models.resolve("trees/model.yml"), "explain: { method: shapley }\n");
    new OnnxModelWriter()
        .input("X", FLOAT, "N", "3")
        .output("Y", FLOAT, "N", "1")
        .initializer("T", 0.5f, 0.5f, 0.5f)
        .initializer("ONE", 1, 1, 1)
        .initializer("ZERO", 0, 0, 0)
        .matrix("LEFT", 3, 2, 1, 0, 0, 1, 0, 0)
        .matrix("RIGHT", 3, 2, 0, 0, 1, 0, 0, 1)
        .matrix("LEAVES", 2, 1, 4, 2)
        .node("Greater", "ABOVE", "X", "T")
        .node("Where", "IS", "ABOVE", "ONE", "ZERO")
        .node("MatMul", "L", "IS", "LEFT")
        .node("MatMul", "R", "IS", "RIGHT")
        .node("Mul", "BOTH", "L", "R")
        .node("MatMul", "Y", "BOTH", "LEAVES")
        .writeTo(folder);
  }

  @AfterAll
  static void stop() {
    caller.close();
    server.close();
  }

  @ParameterizedTest(name = "{0} is explained")
  @CsvSource({"linear, 2", "linear/versions/1, 1", "linear/versions/2, 2"})
  void scoresOfALinearModelAreItsClosedForm(String model, double factor) {
    JsonObject answer = explained(model, "{\"instances\":[[1,2,3],[0,1,0]]}");
    assertThat(answer.getJsonArray("predictions").getJsonArray(0).getDouble(0))
        .isCloseTo(2 * factor, within(1e-6));
    JsonArray explanations = answer.getJsonArray("explanations");
    assertThat(explanations).hasSize(2);
    assertScores(explanations.getJsonObject(0), factor, 4 * factor, -3 * factor);
    assertScores(explanations.getJsonObject(1), 0, 2 * factor, 0);
    assertThat(explanations.getJsonObject(0).getDouble("base_value")).isEqualTo(0);
    assertThat(explanations.getJsonObject(0).getString("output")).isEqualTo("Y");
    assertThat(explanations.getJsonObject(0).getJsonArray("standard_errors")).hasSize(3);
  }

  @Test
  void scoresOfTreesAreThoseOfExactEnumeration() {
    JsonObject answer = explained("trees", "{\"instances\":[[1,1,1],[1,1,0]]}");
    assertScores(answer.getJsonArray("explanations").getJsonObject(0), 2, 3, 1);
    assertScores(answer.getJsonArray("explanations").getJsonObject(1), 2, 2, 0);
  }

  @Test
  void parametersComeWithTheRequest() {
    JsonObject answer =
        explained(
            "linear",
            "{\"inputs\":[[1,2,3]],\"parameters\":{\"samples\":7,\"seed\":4,\"output\":\"Y\","
                + "\"column\":0,\"baseline\":[1,0,0]}}");
    JsonObject only = answer.getJsonArray("explanations").getJsonObject(0);
    assertScores(only, 0, 8, -6);
    assertThat(only.getInteger("samples")).isEqualTo(7);
    assertThat(only.getDouble("base_value")).isEqualTo(2);
  }

  @Test
  void anExplainerModelTakesTheSameInstances() {
    JsonObject answer = explained("explained", "{\"instances\":[[1,2,3]]}");
    assertThat(answer.getJsonArray("predictions")).isEqualTo(answer.getJsonArray("explanations"));
  }

  @Test
  void anEventIsAnsweredWithAnEvent() {
    var answer =
        caller.send(
            "POST",
            "/v1/models/linear:explain",
            headers("ce-specversion", "1.0", "ce-id", "1", "ce-source", "s", "ce-type", "t"),
            Buffer.buffer("{\"instances\":[[1,2,3]]}"));
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.headers().get("ce-source")).isEqualTo("io.kserve.inference.linear");
  }

  @ParameterizedTest(name = "{0} {1} gives {2}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          nobody  | {"instances":[[1,2,3]]}                                 | 404 | Servable not found for request: Latest(nobody)
          plain   | {"instances":[[1,2,3]]}                                 | 501 | model "plain" has no explainer
          orphan  | {"instances":[[1,2,3]]}                                 | 503 | model "orphan" is explained by model "nobody", which is not ready
          linear  | {"instances":[[1,2,3]],"parameters":7}                  | 400 | parameters is 7; wanted an object
          linear  | {"instances":[[1,2,3]],"parameters":{"sample":1}}       | 400 | parameters has no "sample"; it may have samples, seed, output, column and baseline
          linear  | {"instances":[[1,2,3]],"parameters":{"samples":-1}}     | 400 | samples is -1; wanted a whole number from 0 to 2147483647
          linear  | {"instances":[[1,2,3]],"parameters":{"samples":301}}    | 400 | samples is 301; wanted 2 to 300 (setting explain.max_samples)
          linear  | {"instances":[[1,2,3]],"parameters":{"output":"Z"}}     | 400 | the model has no output "Z"
          linear  | {"instances":[[1,2,3]],"parameters":{"output":[]}}      | 400 | output is []; wanted the name of an output, or the number of a column
          linear  | {"instances":[[1,2,3]],"parameters":{"output":1}}       | 400 | output "Y" has 1 columns, from 0 on; there is no column 1
          linear  | {"instances":[[1,2,3]],"parameters":{"baseline":[1,2]}} | 400 | the baseline has shape [1,2], an instance [1,3]
          linear  | {"instances":[[1,2,3]],"parameters":{"baseline":[1,2],"baseline":[1,2]}} | 400 | parameters has two baselines
          """)
  void whatCannotBeExplainedIsRefusedInWords(String model, String body, int status, String text) {
    HttpCaller.Answer answer = post(model, body);
    assertThat(answer.status()).isEqualTo(status);
    assertThat(new JsonObject(answer.body()).getString("error")).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"LONG\":1}",
        "{\"samples\":\"LONG\"}",
        "{\"output\":\"LONG\"}",
        "{\"seed\":{\"LONG\":1}}"
      })
  void whatARefusalRepeatsIsShort(String parameters) {
    String all = parameters.replace("LONG", "k".repeat(5_000));
    HttpCaller.Answer answer =
        post("linear", "{\"instances\":[[1,2,3]],\"parameters\":" + all + "}");
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.text()).contains("kkkk").hasSizeLessThan(500);
  }

  private static JsonObject explained(String model, String body) {
    HttpCaller.Answer answer = post(model, body);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return new JsonObject(answer.body());
  }

  private static HttpCaller.Answer post(String model, String body) {
    return caller.send("POST", "/v1/models/" + model + ":explain", Buffer.buffer(body));
  }

  private static void assertScores(JsonObject explanation, double... scores) {
    JsonArray got = explanation.getJsonArray("importance_scores");
    double sum = 0;
    for (int i = 0; i < scores.length; i++) {
      double error = explanation.getJsonArray("standard_errors").getDouble(i);
      assertThat(got.getDouble(i)).isCloseTo(scores[i], within(4 * error + 1e-5));
      sum += got.getDouble(i);
    }
    double change = explanation.getDouble("predicted_value") - explanation.getDouble("base_value");
    assertThat(sum).isCloseTo(change, within(1e-9));
  }

  private static MultiMap headers(String... namesAndValues) {
    var headers = MultiMap.caseInsensitiveMultiMap();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      headers.add(namesAndValues[i], namesAndValues[i + 1]);
    }
    return headers;
  }
}
