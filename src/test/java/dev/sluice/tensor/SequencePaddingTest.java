package dev.sluice.tensor;

import static dev.sluice.tensor.PaddingSide.LEFT;
import static dev.sluice.tensor.PaddingSide.RIGHT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.Tensors;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SequencePaddingTest {
  private final long blocksBefore = TensorMemory.openBlocks();

  @AfterEach
  void nothingIsLeftOpen() {
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore);
  }

  @Test
  void shorterRowsGetZerosInFront() {
    try (Tensor shorter = Tensors.floats(Shape.of(1, 1, 2), 1, 2);
        Tensor longer = Tensors.floats(Shape.of(1, 3, 2), 3, 4, 5, 6, 7, 8);
        Tensor joined =
            SequencePadding.joined(List.of(shorter, longer), 1, LEFT, new long[] {2, 0}, 2)) {
      assertThat(joined.shape()).isEqualTo(Shape.of(2, 3, 2));
      assertThat(Tensors.toFloats(joined)).containsExactly(0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8);
    }
  }

  @Test
  void shorterRowsGetZerosBehind() {
    try (Tensor shorter = Tensors.floats(Shape.of(1, 2, 1, 1), 1, 2);
        Tensor longer = Tensors.floats(Shape.of(1, 2, 2, 1), 3, 4, 5, 6);
        Tensor joined =
            SequencePadding.joined(List.of(shorter, longer), 2, RIGHT, new long[] {1, 0}, 2)) {
      assertThat(joined.shape()).isEqualTo(Shape.of(2, 2, 2, 1));
      assertThat(Tensors.toFloats(joined)).containsExactly(1, 0, 2, 0, 3, 4, 5, 6);
    }
  }

  @Test
  void eachHeadOfARowIsPadded() {
    try (Tensor shorter = Tensors.floats(Shape.of(1, 2, 1, 1), 1, 2);
        Tensor longer = Tensors.floats(Shape.of(1, 2, 2, 1), 3, 4, 5, 6);
        Tensor joined =
            SequencePadding.joined(List.of(shorter, longer), 2, LEFT, new long[] {1, 0}, 2)) {
      assertThat(joined.shape()).isEqualTo(Shape.of(2, 2, 2, 1));
      assertThat(Tensors.toFloats(joined)).containsExactly(0, 1, 0, 2, 3, 4, 5, 6);
    }
  }

  @Test
  void paddingThatIsNotNeededAnyMoreIsCutOff() {
    try (Tensor padded = Tensors.floats(Shape.of(2, 3), 0, 1, 2, 0, 3, 4);
        Tensor cut = SequencePadding.cut(padded, 1, LEFT, 1);
        Tensor joined =
            SequencePadding.joined(List.of(padded, cut), 1, LEFT, new long[] {-1, 0}, 4)) {
      assertThat(cut.shape()).isEqualTo(Shape.of(2, 2));
      assertThat(Tensors.toFloats(cut)).containsExactly(1, 2, 3, 4);
      assertThat(Tensors.toFloats(joined)).containsExactly(1, 2, 3, 4, 1, 2, 3, 4);
    }
  }

  @Test
  void paddingBehindIsCutOff() {
    try (Tensor padded = Tensors.floats(Shape.of(2, 3), 1, 2, 0, 3, 4, 0);
        Tensor cut = SequencePadding.cut(padded, 1, RIGHT, 1)) {
      assertThat(Tensors.toFloats(cut)).containsExactly(1, 2, 3, 4);
    }
  }

  @Test
  void aBatchIsFilledUpWithTheFirstRow() {
    try (Tensor row = Tensors.floats(Shape.of(1, 2), 1, 2);
        Tensor joined = SequencePadding.joined(List.of(row), 1, LEFT, new long[] {1}, 3)) {
      assertThat(Tensors.toFloats(joined)).containsExactly(0, 1, 2, 0, 1, 2, 0, 1, 2);
    }
  }

  @Test
  void anEmptyRowIsNothingButPadding() {
    try (Tensor empty = Tensor.allocate(DataType.FP32, Shape.of(1, 0, 2));
        Tensor joined = SequencePadding.joined(List.of(empty), 1, LEFT, new long[] {1}, 1)) {
      assertThat(Tensors.toFloats(joined)).containsExactly(0, 0);
    }
  }
}
