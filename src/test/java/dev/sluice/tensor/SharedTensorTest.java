package dev.sluice.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.testing.Tensors;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SharedTensorTest {
  private long blocksBefore;

  @BeforeEach
  void count() {
    blocksBefore = TensorMemory.openBlocks();
  }

  @AfterEach
  void nothingIsLeftOpen() {
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore);
  }

  @Test
  void slicesShareTheMemoryUntilTheLastOfThemIsClosed() {
    Tensor whole = Tensors.floats(Shape.of(3, 2), 1, 2, 3, 4, 5, 6);
    Tensor first;
    Tensor last;
    try (var shared = new SharedTensor(whole)) {
      first = shared.next(1);
      shared.skip(1);
      last = shared.next(1);
    }
    assertThat(first.data().address()).isEqualTo(whole.data().address());
    assertThat(Tensors.toFloats(first)).containsExactly(1, 2);
    assertThat(last.shape()).isEqualTo(Shape.of(1, 2));
    first.close();
    first.close();
    assertThat(Tensors.toFloats(last)).containsExactly(5, 6);
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore + 1);
    last.close();
  }

  @Test
  void slicesSideBySideAreOneTensorAgainWithoutACopy() {
    Tensor whole = Tensors.floats(Shape.of(4, 1), 1, 2, 3, 4);
    try (var shared = new SharedTensor(whole)) {
      shared.skip(1);
      Tensor two = shared.next(2);
      Tensor four = shared.next(1);
      Tensor joined =
          Objects.requireNonNull(SharedTensor.joined(List.of(two, four), Shape.of(3, 1)));
      two.close();
      four.close();
      assertThat(joined.data().address()).isEqualTo(whole.data().address() + 4);
      assertThat(Tensors.toFloats(joined)).containsExactly(2, 3, 4);
      joined.close();
    }
  }

  @Test
  void slicesOfASliceAreJoinedAgainWithoutACopy() {
    Tensor whole = Tensors.floats(Shape.of(2, 1), 1, 2);
    Tensor slice;
    try (var shared = new SharedTensor(whole)) {
      slice = shared.next(2);
    }
    try (var again = new SharedTensor(slice)) {
      Tensor one = again.next(1);
      Tensor two = again.next(1);
      Tensor joined =
          Objects.requireNonNull(SharedTensor.joined(List.of(one, two), Shape.of(2, 1)));
      one.close();
      two.close();
      assertThat(joined.data().address()).isEqualTo(whole.data().address());
      joined.close();
    }
  }

  @Test
  void slicesThatDoNotLieSideBySideAreNot() {
    Tensor own = Tensors.floats(Shape.of(1), 1);
    try (var shared = new SharedTensor(Tensors.floats(Shape.of(3), 1, 2, 3));
        var other = new SharedTensor(Tensors.floats(Shape.of(1), 1));
        Tensor first = shared.next(1);
        Tensor second = shared.next(1);
        Tensor third = shared.next(1);
        Tensor stranger = other.next(1);
        own) {
      for (List<Tensor> apart :
          List.of(
              List.of(second, first),
              List.of(first, third),
              List.of(first, first),
              List.of(first, stranger),
              List.of(first, own),
              List.of(own, first))) {
        assertThat(SharedTensor.joined(apart, Shape.of(2))).isNull();
      }
    }
  }

  @Test
  void textsAreCutBetweenElements() {
    Tensor whole = Tensors.texts(Shape.of(3, 2), "a", "", "long enough", "b", "c", "dd");
    try (var shared = new SharedTensor(whole)) {
      try (Tensor two = shared.next(2);
          Tensor one = shared.next(1)) {
        assertThat(Tensors.toBytes(two))
            .containsExactly(bytes("a"), bytes(""), bytes("long enough"), bytes("b"));
        assertThat(Tensors.toBytes(one)).containsExactly(bytes("c"), bytes("dd"));
      }
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void rowsWithoutElementsAreSlicesToo() {
    try (var shared = new SharedTensor(Tensors.floats(Shape.of(2, 0)));
        Tensor one = shared.next(1)) {
      assertThat(one.shape()).isEqualTo(Shape.of(1, 0));
      assertThat(one.byteSize()).isZero();
    }
  }

  @Test
  void rowsThatAreNotThereAreRefused() {
    try (var shared = new SharedTensor(Tensors.floats(Shape.of(2), 1, 2))) {
      assertThatThrownBy(() -> shared.next(3))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("FP32[2] has no 3 rows after row 0");
    }
  }
}
