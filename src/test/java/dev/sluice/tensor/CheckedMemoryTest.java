package dev.sluice.tensor;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class CheckedMemoryTest {
  private static final Shape FOUR = Shape.of(4);

  @Test
  void testsRunInCheckedMode() {
    assertThat(CheckedMemory.ON).isTrue();
  }

  @Test
  void aViewOfFreedMemoryCannotBeRead() {
    Tensor tensor = Tensor.allocate(DataType.UINT8, FOUR);
    MemorySegment view = tensor.data().asSlice(1, 2);
    view.fill((byte) 1);
    tensor.close();
    assertThatThrownBy(() -> view.get(JAVA_BYTE, 0))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Already closed");
  }

  @Test
  void aViewOfAdoptedMemoryCannotBeReadOnceItIsGivenBack() {
    MemorySegment owned = Arena.ofAuto().allocate(4);
    Tensor tensor = Tensor.adopt(DataType.UINT8, FOUR, owned, () -> {});
    MemorySegment view = tensor.data();
    tensor.close();
    assertThatThrownBy(() -> view.get(JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
    assertThat(owned.get(JAVA_BYTE, 0)).isZero();
  }

  @Test
  void theUseOfAClosedTensorNamesWhereItWasAllocatedAndFreed() {
    Tensor tensor = allocate();
    free(tensor);
    Throwable failure = catchThrowable(tensor::data);
    assertThat(failure).hasMessage("the tensor is closed");
    Throwable allocated = Objects.requireNonNull(failure.getCause());
    assertThat(allocated).hasMessageContaining("allocated, 64 bytes, by ");
    assertPlace(allocated, "allocate");
    assertPlace(allocated.getSuppressed()[0], "free");
  }

  @Test
  void aBlockThatIsFreedTwiceNamesWhereItWasAllocatedAndFreed() {
    MemorySegment block = TensorMemory.allocate(64);
    TensorMemory.free(block);
    Throwable failure = catchThrowable(() -> TensorMemory.free(block));
    assertThat(failure)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("double free");
    assertThat(failure.getCause()).hasMessageContaining("allocated, 64 bytes, by ");
  }

  private static Tensor allocate() {
    return Tensor.allocate(DataType.UINT8, FOUR);
  }

  private static void free(Tensor tensor) {
    tensor.close();
  }

  private static void assertPlace(Throwable place, String method) {
    assertThat(place.getStackTrace())
        .anyMatch(frame ->
            frame.getClassName().equals(CheckedMemoryTest.class.getName())
                && frame.getMethodName().equals(method));
  }
}
