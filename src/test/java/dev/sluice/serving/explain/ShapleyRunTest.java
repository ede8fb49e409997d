package dev.sluice.serving.explain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.config.model.ExplainConfig;
import dev.sluice.config.model.ExplainConfig.Method;
import dev.sluice.inference.DataPlane;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.Signature;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.explain.Attribution;
import dev.sluice.inference.explain.ExplainParameters;
import dev.sluice.inference.explain.Explanation;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.FakeModelLease;
import dev.sluice.testing.Tensors;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShapleyRunTest {
  private static final double[] WEIGHTS = {1, -2, 3, 0.5};

  /** A model of rows: from a row of the input to a row of the output. */
  private interface Rows {
    float[] answer(float[] row);
  }

  private final List<Integer> asked = new ArrayList<>();
  private final List<Long> priorities = new ArrayList<>();
  private Rows model = row -> new float[] {(float) linear(row)};
  private Shape declared = Shape.of(-1, 4);
  private int maxBatchSize;

  private static double linear(float[] row) {
    double sum = 7;
    for (int i = 0; i < row.length; i++) {
      sum += WEIGHTS[i % WEIGHTS.length] * row[i];
    }
    return sum;
  }

  /** Three little trees with interactions. */
  private static double trees(float[] x) {
    double sum = x[0] > 0.5 ? (x[1] > 0.25 ? (x[3] > 0.2 ? 7 : -1) : 2) : (x[2] > 0.75 ? -2 : 3);
    sum += x[3] > 0.5 && x[2] > 0.5 && x[0] > 0.1 ? 4 : -1;
    return sum + (x[1] > 0.5 ? (x[3] > 0.1 ? 2.5 : -0.5) : 0.25);
  }

  @Test
  void scoresOfALinearModelAreItsClosedForm() {
    try (Explanation explanation = explain(config(4), 4, 1, 2, 3, 4)) {
      Attribution only = explanation.attributions().getFirst();
      for (int i = 0; i < 4; i++) {
        assertThat(only.score(i)).isCloseTo(WEIGHTS[i] * (i + 1), within(1e-5));
        assertThat(only.error(i)).isCloseTo(0, within(1e-5));
      }
      assertThat(only.baseValue()).isEqualTo(7);
      assertThat(only.predictedValue()).isEqualTo(15);
    }
  }

  @Test
  void scoresAddUpToThePredictionMinusTheBaseValue() {
    model = row -> new float[] {(float) trees(row)};
    try (Explanation explanation = explain(config(3), 4, 0.9f, 0.8f, 0.7f, 0.6f)) {
      Attribution only = explanation.attributions().getFirst();
      double sum = only.score(0) + only.score(1) + only.score(2) + only.score(3);
      assertThat(sum).isCloseTo(only.predictedValue() - only.baseValue(), within(1e-12));
    }
  }

  @Test
  void scoresOfTreesAreThoseOfExactEnumerationWithinTheirErrors() {
    model = row -> new float[] {(float) trees(row)};
    float[] instance = {0.9f, 0.8f, 0.7f, 0.6f};
    double[] exact = enumerate(instance, new float[4]);
    try (Explanation explanation = explain(config(1024), 4, instance)) {
      Attribution only = explanation.attributions().getFirst();
      for (int i = 0; i < 4; i++) {
        assertThat(only.score(i)).isCloseTo(exact[i], within(4 * only.error(i) + 1e-6));
        assertThat(only.error(i)).isLessThan(0.1);
      }
    }
  }

  @Test
  void twoStandardErrorsHoldTheTrueValueInAboutNineteenOfTwentyCases() {
    model = row -> new float[] {(float) trees(row)};
    float[] instance = {0.9f, 0.8f, 0.7f, 0.6f};
    double[] exact = enumerate(instance, new float[4]);
    int held = 0;
    int all = 0;
    for (int seed = 0; seed < 400; seed++) {
      try (Explanation explanation = explain(config(48, seed), 4, instance)) {
        Attribution only = explanation.attributions().getFirst();
        for (int i = 0; i < 4; i++) {
          all++;
          held += Math.abs(only.score(i) - exact[i]) <= 2 * only.error(i) + 1e-9 ? 1 : 0;
        }
      }
    }
    assertThat((double) held / all).isBetween(0.90, 0.99);
  }

  /** Every subset, weighed as Shapley defines it. */
  private static double[] enumerate(float[] instance, float[] baseline) {
    int n = instance.length;
    double[] scores = new double[n];
    for (int subset = 0; subset < 1 << n; subset++) {
      int size = Integer.bitCount(subset);
      for (int i = 0; i < n; i++) {
        if ((subset >> i & 1) == 0) {
          double weight = factorial(size) * factorial(n - size - 1) / factorial(n);
          double with = trees(mixed(instance, baseline, subset | 1 << i));
          scores[i] += weight * (with - trees(mixed(instance, baseline, subset)));
        }
      }
    }
    return scores;
  }

  private static float[] mixed(float[] instance, float[] baseline, int subset) {
    float[] row = baseline.clone();
    for (int i = 0; i < row.length; i++) {
      row[i] = (subset >> i & 1) == 1 ? instance[i] : row[i];
    }
    return row;
  }

  private static double factorial(int n) {
    return n < 2 ? 1 : n * factorial(n - 1);
  }

  @Test
  void theSameSeedGivesTheSameAnswerWhateverStandsBesideAnInstance() {
    model = row -> new float[] {(float) trees(row)};
    try (Explanation alone = explain(config(8, 3), 4, 0.9f, 0.8f, 0.7f, 0.6f);
        Explanation again = explain(config(8, 3), 4, 0.1f, 1, 1, 1, 0.9f, 0.8f, 0.7f, 0.6f);
        Explanation other = explain(config(8, 4), 4, 0.9f, 0.8f, 0.7f, 0.6f)) {
      assertThat(scores(again, 1)).isEqualTo(scores(alone, 0));
      assertThat(scores(other, 0)).isNotEqualTo(scores(alone, 0));
    }
  }

  private static List<Double> scores(Explanation explanation, int instance) {
    Attribution each = explanation.attributions().get(instance);
    List<Double> scores = new ArrayList<>();
    for (int i = 0; i < each.elements(); i++) {
      scores.add(each.score(i));
    }
    return scores;
  }

  @Test
  void instancesOfSeveralDimensionsAreExplainedElementByElement() {
    declared = Shape.of(-1, 2, 2);
    InferenceRequest request = request(Tensors.floats(Shape.of(2, 2, 2), 1, 2, 3, 4, 4, 3, 2, 1));
    try (Explanation explanation = run(config(2), request, ExplainParameters.NONE)) {
      assertThat(explanation.instance()).isEqualTo(Shape.of(2, 2));
      assertThat(explanation.attributions()).hasSize(2);
      assertThat(explanation.attributions().get(1).score(2)).isCloseTo(6, within(1e-5));
    }
  }

  @Test
  void instancesOfOneElementAreTheirWholeDifference() {
    declared = Shape.of(-1);
    InferenceRequest request = request(Tensors.floats(Shape.of(2), 1, 5));
    try (Explanation explanation = run(config(2), request, ExplainParameters.NONE)) {
      assertThat(explanation.instance()).isEqualTo(Shape.SCALAR);
      assertThat(scores(explanation, 0)).containsExactly(1.0);
      assertThat(scores(explanation, 1)).containsExactly(5.0);
    }
  }

  @Test
  void theLargestColumnIsExplainedUnlessAnotherIsAskedFor() {
    model = row -> new float[] {row[0], row[1], row[2]};
    try (Explanation explanation = explain(config(2), 4, 1, 9, 3, 4, 5, 1, 6, 0)) {
      assertThat(explanation.attributions()).extracting(Attribution::column).containsExactly(1, 2);
      assertThat(scores(explanation, 0)).containsExactly(0.0, 9.0, 0.0, 0.0);
    }
    InferenceRequest request = request(Tensors.floats(Shape.of(1, 4), 1, 9, 3, 4));
    try (Explanation explanation = run(config(2), request, asking("Y", 2, null))) {
      assertThat(scores(explanation, 0)).containsExactly(0.0, 0.0, 3.0, 0.0);
    }
  }

  @Test
  void aRequestMayBringItsBaseline() {
    InferenceRequest request = request(Tensors.floats(Shape.of(1, 4), 1, 2, 3, 4));
    Tensor baseline = Tensors.floats(Shape.of(1, 4), 1, 0, 3, 0);
    try (Explanation explanation = run(config(2), request, asking("", -1, baseline))) {
      assertThat(scores(explanation, 0)).containsExactly(0.0, -4.0, 0.0, 2.0);
    }
  }

  @Test
  void theBaseValueIsTheMeanOverTheRowsOfAFile(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("rows.json"), "[[0,0,0,0],[1,1,1,1],[2,0,0,1]]");
    ExplainConfig config =
        new ExplainConfig(
            Method.SHAPLEY, Optional.empty(), 4, 100, 10_000, 5, 0, 0, Optional.of(file));
    try (Explanation explanation = explain(config, 4, 1, 2, 3, 4)) {
      Attribution only = explanation.attributions().getFirst();
      assertThat(explanation.samples()).isEqualTo(6);
      assertThat(only.baseValue()).isCloseTo(7 + (0 + 2.5 + 2.5) / 3, within(1e-6));
      assertThat(scores(explanation, 0).stream().mapToDouble(Double::doubleValue).sum())
          .isCloseTo(only.predictedValue() - only.baseValue(), within(1e-9));
    }
  }

  @Test
  void chunksAreNoLargerThanTheSettingsAndTheModelAllow() {
    maxBatchSize = 5;
    try (Explanation explanation = explain(config(4), 4, 1, 2, 3, 4)) {
      assertThat(explanation.samples()).isEqualTo(4);
    }
    // the instance, the baseline, then 4 pairs of 3 rows each way in fives
    assertThat(asked).containsExactly(1, 1, 5, 5, 5, 5, 4);
    assertThat(priorities).containsOnly(3L);
  }

  @Test
  void aModelOfOneRowIsAskedRowByRow() {
    declared = Shape.of(1, 4);
    try (Explanation explanation = explain(config(2), 4, 1, 2, 3, 4)) {
      assertThat(explanation.attributions()).hasSize(1);
    }
    assertThat(asked).containsOnly(1);
  }

  @Test
  void moreRowsThanTheSettingsAllowAreRefusedBeforeAnyIsAsked() {
    ExplainConfig config =
        new ExplainConfig(Method.SHAPLEY, Optional.empty(), 4, 4, 20, 5, 0, 0, Optional.empty());
    assertThatThrownBy(() -> explain(config, 4, 1, 2, 3, 4))
        .isInstanceOf(InferenceException.class)
        .hasMessage(
            "explaining 1 instances of 4 elements with 4 samples asks the model about 26 rows, at"
                + " most 20 are allowed (setting explain.max_rows); send fewer instances, or ask"
                + " for fewer samples");
    assertThat(asked).isEmpty();
  }

  @Test
  void whatCannotBeExplainedIsRefusedWithItsReason() {
    refused(asking("Z", -1, null), "the model has no output \"Z\"");
    refused(asking("", 7, null), "output \"Y\" has 1 columns, from 0 on; there is no column 7");
    refused(
        new ExplainParameters(
            OptionalInt.of(1), OptionalLong.empty(), "", OptionalInt.empty(), null),
        "samples is 1; wanted 2 to 4096 (setting explain.max_samples)");
    try (Tensor baseline = Tensors.floats(Shape.of(1, 2), 1, 0)) {
      refused(asking("", -1, baseline), "the baseline has shape [1,2], an instance [1,4]");
    }
  }

  private void refused(ExplainParameters parameters, String text) {
    InferenceRequest request = request(Tensors.floats(Shape.of(1, 4), 1, 2, 3, 4));
    assertThatThrownBy(() -> run(config(2), request, parameters)).hasMessage(text);
  }

  @Test
  void cancellingEndsTheWork() {
    InferenceRequest request = request(Tensors.floats(Shape.of(1, 4), 1, 2, 3, 4));
    model =
        row -> {
          if (asked.size() == 3) {
            request.cancel();
          }
          return new float[] {0};
        };
    assertThatThrownBy(() -> run(config(100), request, ExplainParameters.NONE))
        .satisfies(e -> assertThat(ErrorCode.of(e)).isEqualTo(ErrorCode.CANCELLED));
    assertThat(asked).hasSize(3);
  }

  @Test
  void oneChunkIsUnderWayAtATime() {
    List<Promise<Void>> pending = new ArrayList<>();
    InferenceRequest request = request(Tensors.floats(Shape.of(1, 4), 1, 2, 3, 4));
    DataPlane slow =
        new Asking() {
          @Override
          public Future<InferenceResponse> infer(InferenceRequest next) {
            Promise<Void> turn = Promise.promise();
            pending.add(turn);
            return turn.future().compose(_ -> super.infer(next));
          }
        };
    Future<Explanation> result =
        new ShapleyRun(
                slow,
                request,
                request.model(),
                ExplainParameters.NONE,
                ExplainPlan.load(config(4), 1))
            .start(slow);
    for (int i = 0; !result.isComplete(); i++) {
      assertThat(pending).hasSize(i + 1);
      pending.get(i).complete();
    }
    result.result().close();
    request.close();
  }

  private static ExplainParameters asking(String output, int column, @Nullable Tensor baseline) {
    return new ExplainParameters(
        OptionalInt.empty(),
        OptionalLong.empty(),
        output,
        column < 0 ? OptionalInt.empty() : OptionalInt.of(column),
        baseline);
  }

  private static ExplainConfig config(int samples) {
    return config(samples, 0);
  }

  private static ExplainConfig config(int samples, int seed) {
    return new ExplainConfig(
        Method.SHAPLEY, Optional.empty(), samples, 4096, 100_000, 64, seed, 0, Optional.empty());
  }

  private Explanation explain(ExplainConfig config, int elements, float... values) {
    Tensor rows = Tensors.floats(Shape.of(values.length / elements, elements), values);
    return run(config, request(rows), ExplainParameters.NONE);
  }

  private InferenceRequest request(Tensor rows) {
    var signature =
        new Signature(
            Signature.DEFAULT,
            "",
            List.of(new TensorSpec("X", DataType.FP32, declared)),
            List.of(new TensorSpec("Y", DataType.FP32, Shape.of(-1, -1))));
    var metadata =
        new ModelMetadata("test", Map.of(signature.name(), signature), true, maxBatchSize);
    return new InferenceRequest(
        new FakeModelLease(new ModelId("m", 1), metadata),
        signature,
        List.of(new NamedTensor("X", rows)),
        List.of(),
        Deadline.NONE,
        "test");
  }

  private Explanation run(
      ExplainConfig config, InferenceRequest request, ExplainParameters parameters) {
    try (request;
        parameters) {
      var plan = ExplainPlan.load(config, 3);
      Future<Explanation> result =
          new ShapleyRun(new Asking(), request, request.model(), parameters, plan)
              .start(new Asking());
      if (result.cause() instanceof InferenceException failure) {
        throw failure;
      }
      return result.result();
    }
  }

  /** Answers at once, row by row. */
  private class Asking implements DataPlane {
    @Override
    public ModelLookup find(ModelSelector selector, Caller caller, Operation operation) {
      return new ModelLookup.UnknownModel(selector.name());
    }

    @Override
    public Future<InferenceResponse> infer(InferenceRequest request) {
      try (request) {
        Tensor input = request.inputs().getFirst().tensor();
        int rows = (int) input.shape().dim(0);
        asked.add(rows);
        priorities.add(request.options().priority());
        float[] all = Tensors.toFloats(input);
        int width = all.length / rows;
        List<float[]> answers = new ArrayList<>();
        for (int row = 0; row < rows; row++) {
          answers.add(model.answer(Arrays.copyOfRange(all, row * width, (row + 1) * width)));
        }
        return Future.succeededFuture(
            new InferenceResponse(
                request.model().id(), request.signature(), List.of(output(answers))));
      }
    }

    private NamedTensor output(List<float[]> answers) {
      int columns = answers.getFirst().length;
      float[] flat = new float[answers.size() * columns];
      for (int i = 0; i < flat.length; i++) {
        flat[i] = answers.get(i / columns)[i % columns];
      }
      return new NamedTensor("Y", Tensors.floats(Shape.of(answers.size(), columns), flat));
    }
  }
}
