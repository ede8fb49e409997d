package dev.sluice.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ShapeTest {
  @Test
  void listsAreCountedEvenWhereTheyAreEmpty() {
    assertThat(Shape.of().listCount()).isZero();
    assertThat(Shape.of(5).listCount()).isEqualTo(1);
    assertThat(Shape.of(2, 3).listCount()).isEqualTo(3);
    assertThat(Shape.of(2, 3, 4).listCount()).isEqualTo(9);
    assertThat(Shape.of(40_000_000, 0).listCount()).isEqualTo(40_000_001);
    assertThat(Shape.of(0, 40_000_000).listCount()).isEqualTo(1);
    assertThat(Shape.of(Long.MAX_VALUE, Long.MAX_VALUE, 0).listCount()).isEqualTo(1L << 62);
  }

  @Test
  void aScalarHasOneElementAndNoDimensions() {
    assertThat(Shape.of()).isSameAs(Shape.SCALAR);
    assertThat(Shape.SCALAR.elementCount()).isEqualTo(1);
    assertThat(Shape.SCALAR.rank()).isZero();
  }

  @Test
  void oneEmptyDimensionMakesTheWholeTensorEmptyHoweverLargeTheOthers() {
    assertThat(Shape.of(Long.MAX_VALUE, Long.MAX_VALUE, 0).elementCount()).isZero();
  }

  @Test
  void aProductBeyond63BitsIsRefusedAndNotWrappedAround() {
    Shape huge = Shape.of(Long.MAX_VALUE, 16);
    assertThatThrownBy(huge::elementCount).isInstanceOf(ArithmeticException.class);
  }

  @Test
  void aDimensionBelowMinusOneIsRefused() {
    assertThatThrownBy(() -> Shape.of(2, -2)).hasMessageContaining("-2");
  }

  @Test
  void anOpenDimensionAcceptsAnySizeAndAFixedOneOnlyItsOwn() {
    Shape declared = Shape.of(Shape.ANY, 16);
    assertThat(declared.accepts(Shape.of(0, 16))).isTrue();
    assertThat(declared.accepts(Shape.of(9, 16))).isTrue();
    assertThat(declared.accepts(Shape.of(9, 8))).isFalse();
    assertThat(declared.accepts(Shape.of(16))).isFalse();
  }

  @Test
  void anUnknownRankAcceptsEverythingAndAScalarOnlyScalars() {
    assertThat(Shape.UNKNOWN.accepts(Shape.of(1, 2, 3))).isTrue();
    assertThat(Shape.UNKNOWN.accepts(Shape.SCALAR)).isTrue();
    assertThat(Shape.SCALAR.accepts(Shape.of(1))).isFalse();
    assertThat(Shape.SCALAR).isNotEqualTo(Shape.UNKNOWN);
  }

  @Test
  void anOpenShapeHasNoElementCount() {
    assertThatThrownBy(() -> Shape.of(Shape.ANY).elementCount())
        .isInstanceOf(IllegalStateException.class);
  }
}
