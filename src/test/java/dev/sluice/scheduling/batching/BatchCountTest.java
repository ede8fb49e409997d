package dev.sluice.scheduling.batching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.compat.triton.proto.BatchInput.Kind;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.testing.Tensors;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The numbers that Triton makes of two requests: one row of 3 by 2, two rows of 1 by 4. */
class BatchCountTest {
  private static final List<Shape> SHAPES = List.of(Shape.of(1, 3, 2), Shape.of(2, 1, 4));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          BATCH_ELEMENT_COUNT                       | [2]   | 6 8
          BATCH_ACCUMULATED_ELEMENT_COUNT           | [2]   | 6 14
          BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO | [3]   | 0 6 14
          BATCH_MAX_ELEMENT_COUNT_AS_SHAPE          | [8]   | 0 0 0 0 0 0 0 0
          BATCH_ITEM_SHAPE                          | [3,2] | 3 2 1 4 1 4
          BATCH_ITEM_SHAPE_FLATTEN                  | [6]   | 3 2 1 4 1 4
          """)
  void inputsTellOfTheBatchInIntegersAndInFloats(Kind kind, String shape, String values) {
    try (Tensor integers = new BatchCount(kind, DataType.INT32, "x").make(SHAPES);
        Tensor floats = new BatchCount(kind, DataType.FP32, "x").make(SHAPES)) {
      assertThat(integers.shape()).hasToString(shape);
      assertThat(
              Arrays.stream(integers.data().toArray(ValueLayout.JAVA_INT))
                  .mapToObj(Integer::toString)
                  .collect(Collectors.joining(" ")))
          .isEqualTo(values);
      assertThat(floats.shape()).hasToString(shape);
      assertThat(floats.type()).isEqualTo(DataType.FP32);
      assertThat(Tensors.toFloats(floats)[0]).isEqualTo(values.charAt(0) - '0');
    }
  }

  @Test
  void itemsWithoutDimensionsAreRowsOfNothing() {
    var count = new BatchCount(Kind.BATCH_ITEM_SHAPE, DataType.INT32, "x");
    try (Tensor items = count.make(List.of(Shape.of(2), Shape.of(3)))) {
      assertThat(items.shape()).isEqualTo(Shape.of(5, 0));
    }
  }

  @Test
  void rowsWithoutElementsAreBounded() {
    var count = new BatchCount(Kind.BATCH_ITEM_SHAPE_FLATTEN, DataType.INT32, "x");
    assertThatThrownBy(() -> count.make(List.of(Shape.of(1_000_000_000_000L, 0))))
        .hasMessage(
            "input \"x\" has shape [1000000000000,0]; wanted at most 1048576 rows without"
                + " elements");
  }
}
