package dev.sluice.serving.advice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.FakeSession;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BatchabilityProbeTest {
  private final AtomicLong clock = new AtomicLong();

  /** Computes a number for each row, and lets the clock run for each run and each row. */
  private record Rows(AtomicLong clock, long perRun, long perRow, Formula formula)
      implements ModelSession {
    interface Formula {
      float of(Tensor x, int row);
    }

    @Override
    public ModelMetadata metadata() {
      return BatchabilityProbeTest.metadata(Shape.of(Shape.ANY, 3), DataType.FP32, 0);
    }

    @Override
    public List<NamedTensor> run(
        Signature signature, List<NamedTensor> inputs, List<TensorSpec> outputs) {
      Tensor x = inputs.getFirst().tensor();
      int rows = (int) x.shape().dim(0);
      clock.addAndGet(perRun + rows * perRow);
      Tensor y = Tensor.allocate(DataType.FP32, Shape.of(rows, 1));
      for (int row = 0; row < rows; row++) {
        y.data().setAtIndex(ValueLayout.JAVA_FLOAT, row, formula.of(x, row));
      }
      return List.of(new NamedTensor("y", y));
    }

    @Override
    public void close() {
      // Nothing is open.
    }
  }

  private static ModelMetadata metadata(Shape shape, DataType type, int maxBatchSize) {
    var signature =
        new Signature(
            Signature.DEFAULT,
            "",
            List.of(new TensorSpec("x", type, shape)),
            List.of(new TensorSpec("y", DataType.FP32, Shape.of(Shape.ANY, 1))));
    return new ModelMetadata("fake", Map.of(Signature.DEFAULT, signature), true, maxBatchSize);
  }

  private static float x(Tensor x, int row) {
    return x.data().getAtIndex(ValueLayout.JAVA_FLOAT, row * 3L);
  }

  private Optional<String> advice(Rows rows) {
    return BatchabilityProbe.advice(rows, rows.metadata(), clock::get);
  }

  @Test
  void aModelWhoseRunsCostMoreThanItsRowsShouldJoinThem() {
    var rows = new Rows(clock, 90_000, 10_000, (x, row) -> x(x, row) * 2);
    // 32 x (90 + 10) us against 90 + 32 x 10
    assertThat(advice(rows))
        .hasValue(
            "rows are independent; 32 at once are 7.8 times as fast as one by one:"
                + " max_batch_size: 32 in model.yml would help");
  }

  @Test
  void aModelThatTakesAsLongForEachRowSavesNothing() {
    assertThat(advice(new Rows(clock, 0, 20_000, (x, row) -> x(x, row))))
        .hasValue(
            "rows are independent, but joining requests saves nothing:"
                + " 32 at once are 1.0 times as fast as one by one");
  }

  @Test
  void aModelThatRunsForLessThanItTakesToWakeAWorkerIsForEventLoops() {
    assertThat(advice(new Rows(clock, 1_600, 900, (x, row) -> x(x, row))).orElseThrow())
        .endsWith("; one takes 2.5 us, less than waking a worker: inline_limit: 50us would help");
    assertThat(advice(new Rows(clock, 1_600, 18_400, (x, row) -> x(x, row))).orElseThrow())
        .doesNotContain("inline_limit");
  }

  @Test
  void differencesInTheLastDigitsAreNone() {
    var rows = new Rows(clock, 1, 1, (x, row) -> x(x, row) * (1 + x.shape().dim(0) * 1e-6f));
    assertThat(advice(rows).orElseThrow()).startsWith("rows are independent");
  }

  @Test
  void aModelThatLooksAtOtherRowsIsFoundOut() {
    var sum =
        new Rows(
            clock,
            1,
            1,
            (x, _) -> {
              float total = 0;
              for (int row = 0; row < x.shape().dim(0); row++) {
                total += x(x, row);
              }
              return total;
            });
    assertThat(advice(sum))
        .hasValue("rows depend on each other: do not join requests, leave max_batch_size at 0");
  }

  @Test
  void aModelThatLooksAtThePlaceOfARowIsFoundOut() {
    assertThat(advice(new Rows(clock, 1, 1, (x, row) -> x(x, row) + row)).orElseThrow())
        .startsWith("rows depend on each other");
  }

  @Test
  void aModelThatRefusesMadeUpRowsIsNotJudged() {
    var session = new FakeSession();
    session.failWith(InferenceException.invalid("no"));
    ModelMetadata open = metadata(Shape.of(Shape.ANY, 3), DataType.FP32, 0);
    assertThat(BatchabilityProbe.advice(session, open, clock::get))
        .hasValue("rows could not be tried, the model refuses made-up ones: no");
  }

  @Test
  void modelsWithoutOpenRowsOrWithASettingOrWithTextsAreNotTried() {
    var session = new FakeSession();
    Shape open = Shape.of(Shape.ANY, 3);
    assertThat(
            List.of(
                BatchabilityProbe.advice(
                    session, metadata(Shape.of(2, 3), DataType.FP32, 0), clock::get),
                BatchabilityProbe.advice(
                    session, metadata(Shape.UNKNOWN, DataType.FP32, 0), clock::get),
                BatchabilityProbe.advice(session, metadata(open, DataType.FP32, 8), clock::get),
                BatchabilityProbe.advice(session, metadata(open, DataType.BYTES, 0), clock::get)))
        .containsOnly(Optional.empty());
    assertThat(session.runs()).isZero();
  }
}
