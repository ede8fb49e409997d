package dev.sluice.protocol.oip.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.Mutations;
import dev.sluice.transport.Body;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GenerateRequestTest {
  private static final Signature SIGNATURE =
      new Signature(
          Signature.DEFAULT,
          "",
          List.of(
              new TensorSpec("text", DataType.BYTES, Shape.of(Shape.ANY, 1)),
              new TensorSpec("x", DataType.FP32, Shape.of(Shape.ANY, 2, Shape.ANY))),
          List.of());
  private static final byte[] REQUEST =
      "{\"text\":[\"a\",\"b\"],\"id\":\"7\",\"parameters\":{\"x\":[1,2,3,4],\"free\":1.5},\"on\":true}"
          .getBytes(StandardCharsets.UTF_8);

  @Test
  void innermostOpenDimensionTakesTheElements() {
    try (GenerateRequest request = GenerateRequest.read(Body.of(REQUEST), SIGNATURE)) {
      List<NamedTensor> inputs = request.takeInputs();
      assertThat(inputs).extracting(NamedTensor::name).containsExactly("text", "x");
      assertThat(inputs.get(0).tensor().shape()).isEqualTo(Shape.of(2, 1));
      assertThat(inputs.get(1).tensor().shape()).isEqualTo(Shape.of(1, 2, 2));
      assertThat(request.id()).isEqualTo("7");
      assertThat(request.parameters().options(Map.of()).parameters())
          .containsOnlyKeys("free", "on");
      NamedTensor.closeAll(inputs);
    }
  }

  @Test
  void mutatedJsonIsRefusedOrTaken() {
    long openBlocks = TensorMemory.openBlocks();
    var mutations = new Mutations(3);
    for (int i = 0; i < 1000; i++) {
      try {
        GenerateRequest.read(Body.of(mutations.damage(REQUEST)), SIGNATURE).close();
      } catch (InferenceException refused) {
        assertThat(refused.getMessage()).isNotEmpty();
      }
      assertThat(TensorMemory.openBlocks()).isEqualTo(openBlocks);
    }
  }
}
