package dev.sluice.runtime.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sluice.extension.Value;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.testing.Tensors;
import java.util.List;
import org.junit.jupiter.api.Test;

class PluginValuesTest {
  @Test
  void tensorsAreCopied() {
    try (Tensor tensor = Tensors.floats(Shape.of(2), 1, 2)) {
      Value value = PluginValues.of(List.of(new NamedTensor("x", tensor))).getFirst();
      assertThat(value.name()).isEqualTo("x");
      assertThat(value.type()).isEqualTo(DataType.FP32);
      assertThat(value.shape()).isEqualTo(Shape.of(2));
      assertThat(value.data().getFloat()).isEqualTo(1);
    }
  }

  @Test
  void aTypeThatNotEveryProtocolCarriesIsRefused() {
    try (Tensor tensor = Tensors.zerosAndOnes(DataType.COMPLEX64, Shape.of(1))) {
      assertThatExceptionOfType(InferenceException.class)
          .isThrownBy(() -> PluginValues.of(List.of(new NamedTensor("x", tensor))))
          .withMessage("tensor 'x' is COMPLEX64, which own code does not take")
          .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
    }
  }
}
