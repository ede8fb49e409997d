package dev.sluice.tensor;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SharedBlockTest {
  private long blocksBefore;

  @BeforeEach
  void count() {
    blocksBefore = TensorMemory.openBlocks();
  }

  @AfterEach
  void nothingIsLeftOpen() {
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore);
  }

  private static ByteBuffer floats(float... values) {
    ByteBuffer bytes = ByteBuffer.allocate(values.length * 4).order(ByteOrder.LITTLE_ENDIAN);
    for (float value : values) {
      bytes.putFloat(value);
    }
    return bytes.flip();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 11, 13, 16})
  void aPartThatIsShorterOrLongerThanTheTensorIsRefused(int size) {
    try (var block = new SharedBlock(1_000, 0)) {
      for (int from : new int[] {0, 1}) {
        assertThatThrownBy(() -> block.cut(DataType.FP32, Shape.of(3), from, size))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(size + " bytes are no tensor of FP32");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 63, 64, 219})
  void theTensorItWasMadeForIsNotCopied(int at) {
    try (var block = new SharedBlock(1_000, at)) {
      block.put(at, floats(1, 2, 3));
      try (Tensor tensor = block.cut(DataType.FP32, Shape.of(3), at, 12)) {
        assertThat(tensor.data().address()).isEqualTo(block.bytes().address() + at);
        assertThat(tensor.data().address() % TensorMemory.ALIGNMENT).isZero();
        assertThat(tensor.data().toArray(JAVA_FLOAT)).containsExactly(1, 2, 3);
      }
    }
  }

  @Test
  void aTensorThatLiesAcrossTheBoundariesOfTheRuntimesIsCopied() {
    try (var block = new SharedBlock(100, 0)) {
      block.put(4, floats(1, 2));
      try (Tensor tensor = block.cut(DataType.FP32, Shape.of(2), 4, 8)) {
        assertThat(tensor.data().address() % TensorMemory.ALIGNMENT).isZero();
        assertThat(tensor.data().toArray(JAVA_FLOAT)).containsExactly(1, 2);
      }
    }
  }

  @Test
  void theMemoryLivesAsLongAsTheLastTensorCutFromIt() {
    var block = new SharedBlock(128, 0);
    block.put(0, ByteBuffer.wrap(new byte[] {7}));
    block.put(64, ByteBuffer.wrap(new byte[] {9}));
    Tensor first = block.cut(DataType.INT8, Shape.of(1), 0, 1);
    Tensor second = block.cut(DataType.INT8, Shape.of(1), 64, 1);
    block.close();
    block.close();
    first.close();
    assertThat(second.data().get(JAVA_BYTE, 0)).isEqualTo((byte) 9);
    assertThat(TensorMemory.openBlocks()).isGreaterThan(blocksBefore);
    second.close();
  }
}
