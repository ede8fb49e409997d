package dev.sluice.scheduling.batching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RowPaddingTest {
  private static final long MUCH = 1 << 20;

  private static Tensor ints(Shape shape, int... values) {
    try (var builder = new TensorBuilder(DataType.INT32, 4L * values.length)) {
      for (int value : values) {
        builder.putInt(value);
      }
      return builder.build(shape);
    }
  }

  private static Tensor texts(Shape shape, String... values) {
    try (var builder = new TensorBuilder(DataType.BYTES, 16)) {
      for (String value : values) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        builder.putBytes(bytes, 0, bytes.length);
      }
      return builder.build(shape);
    }
  }

  @Test
  void rowsAreFilledUpWithTheFirstElementAlongEachDimension() {
    try (Tensor small = ints(Shape.of(2, 1, 2), 1, 2, 3, 4);
        Tensor padded = RowPadding.pad(small, Shape.of(1, 2, 3), MUCH)) {
      assertThat(padded.shape()).isEqualTo(Shape.of(2, 2, 3));
      assertThat(padded.data().toArray(ValueLayout.JAVA_INT))
          .containsExactly(1, 2, 1, 1, 1, 1, 3, 4, 1, 1, 1, 1);
    }
  }

  @Test
  void textsArePaddedWithTheFirstText() {
    try (Tensor small = texts(Shape.of(2, 2), "a", "bb", "ccc", "");
        Tensor padded = RowPadding.pad(small, Shape.of(1, 3), MUCH)) {
      List<String> texts = new ArrayList<>();
      for (var elements = new BytesElements(padded); elements.next(); ) {
        byte[] bytes = new byte[elements.length()];
        java.lang.foreign.MemorySegment.copy(
            elements.data(), ValueLayout.JAVA_BYTE, elements.offset(), bytes, 0, bytes.length);
        texts.add(new String(bytes, StandardCharsets.UTF_8));
      }
      assertThat(texts).containsExactly("a", "bb", "a", "ccc", "", "a");
    }
  }

  @Test
  void largestIsThatOfAnyTensorInEachDimension() {
    try (Tensor one = ints(Shape.of(1, 1, 3), 1, 2, 3);
        Tensor other = ints(Shape.of(2, 2, 1), 1, 2, 3, 4)) {
      assertThat(RowPadding.isNeeded(List.of(one, other))).isTrue();
      assertThat(RowPadding.isNeeded(List.of(one, one))).isFalse();
      assertThat(RowPadding.largest(List.of(one, other))).isEqualTo(Shape.of(1, 2, 3));
    }
  }

  @Test
  void paddingThatWouldTakeTooMuchMemoryIsRefused() {
    try (Tensor small = ints(Shape.of(4, 1), 1, 2, 3, 4)) {
      assertThatThrownBy(() -> RowPadding.pad(small, Shape.of(1, 1L << 40), MUCH))
          .isInstanceOf(InferenceException.class)
          .hasMessage(
              "a tensor of shape [4,1] is too large once it is padded to [4,1099511627776]");
      assertThatThrownBy(() -> RowPadding.pad(small, Shape.of(1, Long.MAX_VALUE), MUCH))
          .isInstanceOf(InferenceException.class);
    }
  }

  @Test
  void aTensorWithoutElementsHasNothingToBePaddedWith() {
    try (Tensor empty = ints(Shape.of(2, 0))) {
      assertThatThrownBy(() -> RowPadding.pad(empty, Shape.of(1, 1), MUCH))
          .hasMessage("a tensor without elements cannot be padded");
    }
  }
}
