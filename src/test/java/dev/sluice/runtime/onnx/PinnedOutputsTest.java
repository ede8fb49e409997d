package dev.sluice.runtime.onnx;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.RecycledBlocks;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PinnedOutputsTest {
  private static final Set<String> WHOLE = Set.of("whole");
  private static final int LARGE = 60_000;

  @ParameterizedTest
  @ValueSource(ints = {4, 5, 7, 8, 9, 12, 16, 64, 65, 1000})
  void memoryHoldsNoNeighboursDataAndShowsWhetherItWasWritten(int size) {
    RecycledBlocks.fill();
    try (PinnedOutputs pinned = pinned(size)) {
      MemorySegment data = data(pinned, 0);
      assertThat(data.toArray(JAVA_BYTE)).isNotEqualTo(neighbours(size));
      long guard = Math.min(8, size);
      for (long i = guard; i < size - guard; i++) {
        assertThat(data.get(JAVA_BYTE, i)).isZero();
      }
      assertThat(pinned.areWritten()).isFalse();
      data.fill((byte) 1);
      assertThat(pinned.areWritten()).isTrue();
    }
  }

  @Test
  void aLargeOutputIsFilledUnlessItsOperatorWritesAllOfIt() {
    RecycledBlocks.fill();
    var shapes = List.of(Shape.of(LARGE), Shape.of(LARGE), Shape.of(64));
    var outputs =
        List.of(
            new TensorSpec("y", DataType.UINT8, shapes.get(0)),
            new TensorSpec("whole", DataType.UINT8, shapes.get(1)),
            new TensorSpec("whole", DataType.UINT8, shapes.get(2)));
    try (PinnedOutputs pinned = PinnedOutputs.allocate(outputs, List.copyOf(shapes), WHOLE)) {
      assertThat(data(pinned, 0).asSlice(8, LARGE - 16).toArray(JAVA_BYTE)).containsOnly(0);
      assertThat(data(pinned, 1).asSlice(8, LARGE - 16).toArray(JAVA_BYTE))
          .containsOnly(RecycledBlocks.NEIGHBOUR);
      assertThat(data(pinned, 2).asSlice(8, 48).toArray(JAVA_BYTE)).containsOnly(0);
      data(pinned, 0).fill((byte) 1);
      data(pinned, 2).fill((byte) 1);
      assertThat(pinned.areWritten()).isFalse();
      data(pinned, 1).fill((byte) 1);
      assertThat(pinned.areWritten()).isTrue();
    }
  }

  @Test
  void anOutputOfWhichOnlyAPartWasWrittenIsNotTakenForWritten() {
    try (PinnedOutputs pinned = pinned(64)) {
      data(pinned, 0).asSlice(0, 32).fill((byte) 1);
      assertThat(pinned.areWritten()).isFalse();
    }
    try (PinnedOutputs pinned = pinned(64)) {
      data(pinned, 0).asSlice(32, 32).fill((byte) 1);
      assertThat(pinned.areWritten()).isFalse();
    }
  }

  @Test
  void oneUnwrittenOutputAmongManyIsFound() {
    try (PinnedOutputs pinned = pinned(16, 16, 16)) {
      data(pinned, 0).fill((byte) 1);
      data(pinned, 2).fill((byte) 1);
      assertThat(pinned.areWritten()).isFalse();
      data(pinned, 1).fill((byte) 1);
      assertThat(pinned.areWritten()).isTrue();
    }
  }

  @Test
  void whatWasTakenIsTheTakersToClose() {
    Tensor taken;
    try (PinnedOutputs pinned = pinned(16, 16)) {
      taken = Objects.requireNonNull(pinned.take(0)).tensor();
      assertThat(pinned.get(0)).isNull();
    }
    assertThat(taken.data().byteSize()).isEqualTo(16);
    taken.close();
  }

  @ParameterizedTest
  @CsvSource({"3, false", "4, true", "65536, true", "65537, false"})
  void anOutputTooSmallForAGuardOrLargeIsNotPinned(int bytes, boolean pinned) {
    try (Tensor tensor = Tensor.allocate(DataType.UINT8, Shape.of(bytes))) {
      assertThat(PinnedOutputs.canPin(tensor)).isEqualTo(pinned);
    }
  }

  private static byte[] neighbours(int size) {
    var bytes = new byte[size];
    Arrays.fill(bytes, RecycledBlocks.NEIGHBOUR);
    return bytes;
  }

  private static PinnedOutputs pinned(int... sizes) {
    List<Shape> shapes = Arrays.stream(sizes).mapToObj(Shape::of).toList();
    List<TensorSpec> outputs =
        shapes.stream().map(shape -> new TensorSpec("y", DataType.UINT8, shape)).toList();
    return PinnedOutputs.allocate(outputs, shapes, WHOLE);
  }

  private static MemorySegment data(PinnedOutputs pinned, int place) {
    return Objects.requireNonNull(pinned.get(place)).tensor().data();
  }
}
