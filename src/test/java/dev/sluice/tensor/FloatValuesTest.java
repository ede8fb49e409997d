package dev.sluice.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.Tensors;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class FloatValuesTest {
  private static final Shape TWO = Shape.of(2);

  @Test
  void elementsOfEveryPrecisionAreNumbers() {
    try (Tensor single = Tensors.floats(TWO, 1, -1.5f);
        Tensor twice = Tensor.allocate(DataType.FP64, TWO);
        Tensor half = Tensor.allocate(DataType.FP16, TWO);
        Tensor brain = Tensor.allocate(DataType.BF16, TWO)) {
      twice.data().setAtIndex(ValueLayout.JAVA_DOUBLE, 1, -1.5);
      half.data().setAtIndex(ValueLayout.JAVA_SHORT, 1, Float.floatToFloat16(-1.5f));
      brain
          .data()
          .setAtIndex(
              ValueLayout.JAVA_SHORT, 1, (short) (Float.floatToRawIntBits(-1.5f) >>> Short.SIZE));
      for (Tensor tensor : new Tensor[] {single, twice, half, brain}) {
        assertThat(FloatValues.at(tensor, 1)).as(tensor.type().name()).isEqualTo(-1.5);
      }
    }
  }

  @Test
  void aDifferenceIsMeasuredByTheLargestElement() {
    try (Tensor one = Tensors.floats(TWO, 100, 0.5f);
        Tensor near = Tensors.floats(TWO, 100, 0.75f);
        Tensor far = Tensors.floats(TWO, 100, 3)) {
      assertThat(FloatValues.areNear(one, near, 0.01)).isTrue();
      assertThat(FloatValues.areNear(one, far, 0.01)).isFalse();
    }
  }
}
