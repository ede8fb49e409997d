package dev.sluice.protocol.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.transport.Body;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RawTensorsTest {
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 11, 13, 24})
  void bytesThatAreFewerOrMoreThanTheShapeTakesMakeNoTensor(int count) {
    long before = TensorMemory.openBlocks();
    assertThatThrownBy(() -> RawTensors.read(DataType.FP32, Shape.of(3), Body.of(new byte[count])))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(count + " bytes");
    assertThat(TensorMemory.openBlocks()).isEqualTo(before);
  }
}
