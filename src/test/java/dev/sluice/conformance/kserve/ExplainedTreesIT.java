package dev.sluice.conformance.kserve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.RunningServer;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code :explain} in front of ensembles of trees, beside the enumeration of all subsets. */
class ExplainedTreesIT {
  private static final int FEATURES = 6;
  private static final int INSTANCES = 8;
  private static final Trees REGRESSOR = Trees.random(7, FEATURES, 1, 1);
  private static final Trees CLASSIFIER = Trees.random(9, FEATURES, 3, 2);

  @TempDir private static Path models;
  private static RunningServer server;
  private static HttpCaller caller;

  @BeforeAll
  static void start() throws IOException {
    REGRESSOR.writeRegressor(explained("regressor"));
    CLASSIFIER.writeClassifier(explained("classifier"));
    server = RunningServer.start(models);
    caller = new HttpCaller(server.port());
  }

  private static Path explained(String name) throws IOException {
    Path folder = Files.createDirectories(models.resolve(name).resolve("1"));
    Files.writeString(
        models.resolve(name).resolve("model.yml"),
        "max_batch_size: 64\nexplain: { method: shapley }\n");
    return folder;
  }

  @AfterAll
  static void stop() {
    caller.close();
    server.close();
  }

  @ParameterizedTest(name = "{0} samples")
  @CsvSource({"8", "32", "200"})
  void scoresOfARegressorAreThoseOfEnumeration(int samples) {
    double[][] instances = instances();
    JsonArray explanations = explain("regressor", instances, samples);
    for (int i = 0; i < INSTANCES; i++) {
      assertExplained(explanations.getJsonObject(i), REGRESSOR, instances[i], 0);
    }
  }

  @Test
  void ofAClassifierTheBestClassIsExplained() {
    double[][] instances = instances();
    JsonArray explanations = explain("classifier", instances, 100);
    for (int i = 0; i < INSTANCES; i++) {
      JsonObject explanation = explanations.getJsonObject(i);
      int best = best(instances[i]);
      assertThat(explanation.getString("output")).isEqualTo("scores");
      assertThat(explanation.getInteger("column")).isEqualTo(best);
      assertExplained(explanation, CLASSIFIER, instances[i], best);
    }
  }

  @Test
  void moreSamplesStateASmallerError() {
    double[][] instances = instances();
    assertThat(errors(explain("regressor", instances, 512)))
        .isPositive()
        .isLessThan(errors(explain("regressor", instances, 8)) / 2);
  }

  private static double errors(JsonArray explanations) {
    return explanations.stream()
        .flatMap(each -> ((JsonObject) each).getJsonArray("standard_errors").stream())
        .mapToDouble(error -> ((Number) error).doubleValue())
        .sum();
  }

  /** Floats, as the model's numbers are. */
  private static double[][] instances() {
    var random = new Random(3);
    double[][] instances = new double[INSTANCES][FEATURES];
    for (double[] instance : instances) {
      Arrays.setAll(instance, _ -> (float) (4 * random.nextDouble() - 2));
    }
    return instances;
  }

  private static int best(double[] instance) {
    int best = 0;
    for (int column = 1; column < CLASSIFIER.columns(); column++) {
      if (CLASSIFIER.predict(instance, column) > CLASSIFIER.predict(instance, best)) {
        best = column;
      }
    }
    return best;
  }

  private static JsonArray explain(String model, double[][] instances, int samples) {
    long blocks = TensorMemory.openBlocks();
    HttpCaller.Answer answer =
        caller.send(
            "POST",
            "/v1/models/" + model + ":explain",
            Buffer.buffer(
                "{\"instances\":%s,\"parameters\":{\"samples\":%d,\"seed\":5}}"
                    .formatted(Arrays.deepToString(instances), samples)));
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocks);
    return new JsonObject(answer.body()).getJsonArray("explanations");
  }

  private static void assertExplained(
      JsonObject explanation, Trees trees, double[] instance, int column) {
    double base = trees.predict(new double[FEATURES], column);
    double predicted = trees.predict(instance, column);
    assertThat(explanation.getDouble("base_value")).isCloseTo(base, within(1e-5));
    assertThat(explanation.getDouble("predicted_value")).isCloseTo(predicted, within(1e-5));
    double[] exact = trees.shapley(instance, column);
    JsonArray scores = explanation.getJsonArray("importance_scores");
    double sum = 0;
    for (int i = 0; i < FEATURES; i++) {
      double error = explanation.getJsonArray("standard_errors").getDouble(i);
      assertThat(scores.getDouble(i)).isCloseTo(exact[i], within(4 * error + 1e-5));
      sum += scores.getDouble(i);
    }
    assertThat(sum).isCloseTo(predicted - base, within(1e-4));
  }
}
