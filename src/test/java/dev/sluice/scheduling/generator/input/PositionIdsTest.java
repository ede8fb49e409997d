package dev.sluice.scheduling.generator.input;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.tensor.DataType;
import dev.sluice.tensor.PaddingSide;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** What a loop tells a model of where it is: positions, and masks that grow. */
class PositionIdsTest {
  private static final TensorSpec EACH =
      new TensorSpec("position_ids", DataType.INT64, Shape.of(-1, -1));
  private static final TensorSpec FIRST = new TensorSpec("at", DataType.INT32, Shape.of(-1));

  private static Tensor longs(Shape shape, long... values) {
    Tensor tensor = Tensor.allocate(DataType.INT64, shape);
    for (int i = 0; i < values.length; i++) {
      tensor.data().setAtIndex(ValueLayout.JAVA_LONG, i, values[i]);
    }
    return tensor;
  }

  private static void assertStep(Tensor step, Shape shape, long... values) {
    try (step) {
      assertThat(step.shape()).isEqualTo(shape);
      long[] got = new long[values.length];
      for (int i = 0; i < got.length; i++) {
        got[i] =
            step.type() == DataType.INT64
                ? step.data().getAtIndex(ValueLayout.JAVA_LONG, i)
                : step.data().getAtIndex(ValueLayout.JAVA_INT, i);
      }
      assertThat(got).containsExactly(values);
    }
  }

  @Test
  void everyElementHasItsPositionIfTheInputIsOpen() {
    var positions = new PositionIds(EACH, 2);
    assertStep(positions.step(3), Shape.of(2, 3), 0, 1, 2, 0, 1, 2);
    assertStep(positions.step(1), Shape.of(2, 1), 3, 3);
    assertStep(positions.step(1), Shape.of(2, 1), 4, 4);
  }

  @Test
  void elseTheStepHasThatOfItsFirstElement() {
    var positions = new PositionIds(FIRST, 2);
    assertStep(positions.step(3), Shape.of(2), 0, 0);
    assertStep(positions.step(1), Shape.of(2), 3, 3);
  }

  @Test
  void theLoopGoesOnBehindThePositionsOfTheCaller() {
    var each = new PositionIds(EACH, 2);
    try (Tensor given = longs(Shape.of(2, 2), 5, 6, 7, 8)) {
      each.begin(given, 2);
    }
    assertStep(each.step(1), Shape.of(2, 1), 7, 9);
    var first = new PositionIds(new TensorSpec("at", DataType.INT64, Shape.of(-1)), 2);
    try (Tensor given = longs(Shape.of(2), 4, 9)) {
      first.begin(given, 2);
    }
    assertStep(first.step(1), Shape.of(2), 6, 11);
  }

  @Test
  void aMaskGetsLongerByOnesAndKeepsWhatTheCallerLeftOut() {
    try (var mask = new AttentionMask(longs(Shape.of(2, 2), 0, 1, 1, 1))) {
      assertStep(mask.first(), Shape.of(2, 2), 0, 1, 1, 1);
      assertStep(mask.grow(0, PaddingSide.LEFT), Shape.of(2, 3), 0, 1, 1, 1, 1, 1);
      assertStep(mask.grow(0, PaddingSide.LEFT), Shape.of(2, 4), 0, 1, 1, 1, 1, 1, 1, 1);
    }
  }

  @Test
  void aMaskLeavesOutWhatIsPadded() {
    try (var mask = new AttentionMask(longs(Shape.of(2, 2), 0, 1, 1, 1))) {
      assertStep(mask.grow(2, PaddingSide.LEFT), Shape.of(2, 5), 0, 0, 0, 1, 1, 0, 0, 1, 1, 1);
      assertStep(mask.grow(1, PaddingSide.RIGHT), Shape.of(2, 5), 0, 1, 1, 1, 0, 1, 1, 1, 1, 0);
      assertStep(mask.grow(0, PaddingSide.LEFT), Shape.of(2, 5), 0, 1, 1, 1, 1, 1, 1, 1, 1, 1);
      assertThat(mask.length()).isEqualTo(5);
    }
  }

  @Test
  void aMissingMaskMasksNothing() {
    assertStep(AttentionMask.ones(DataType.INT64, 1, 3), Shape.of(1, 3), 1, 1, 1);
    assertStep(AttentionMask.ones(DataType.INT32, 2, 1), Shape.of(2, 1), 1, 1);
  }
}
