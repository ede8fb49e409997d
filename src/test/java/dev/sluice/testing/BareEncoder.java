package dev.sluice.testing;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.ModelSource;
import dev.sluice.runtime.onnx.OnnxRuntimeProvider;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * A text encoder as one would run it by hand: tokens of one text in, and the mean of their vectors
 * out, with the length 1. Quantized models answer differently on other processors, so that only a
 * run on this one says what is right.
 */
public final class BareEncoder implements AutoCloseable {
  private final ModelSession session;
  private final Signature signature;

  /** Opens the model in a folder. */
  public BareEncoder(Path folder) {
    session =
        new OnnxRuntimeProvider()
            .open(new ModelSource(new ModelId("bare", 1), folder, ModelConfig.DEFAULT.runtimes()));
    signature = session.metadata().signature("").orElseThrow();
  }

  /** Returns the vector of a text. */
  public float[] vector(long[] ids) {
    List<NamedTensor> inputs =
        signature.inputs().stream().map(input -> input(input.name(), ids)).toList();
    TensorSpec output = signature.outputs().getFirst();
    try (Tensor tokens = session.run(signature, inputs, List.of(output)).getFirst().tensor()) {
      return mean(Tensors.toFloats(tokens), ids.length);
    } finally {
      NamedTensor.closeAll(inputs);
    }
  }

  private static NamedTensor input(String name, long[] ids) {
    var values = new long[ids.length];
    Arrays.fill(values, name.equals("attention_mask") ? 1 : 0);
    return new NamedTensor(
        name, Tensors.integers(Shape.of(1, ids.length), name.equals("input_ids") ? ids : values));
  }

  private static float[] mean(float[] tokens, int count) {
    var sum = new double[tokens.length / count];
    double squares = 0;
    for (int i = 0; i < sum.length; i++) {
      for (int token = 0; token < count; token++) {
        sum[i] += tokens[token * sum.length + i];
      }
      squares += sum[i] * sum[i];
    }
    var vector = new float[sum.length];
    for (int i = 0; i < sum.length; i++) {
      vector[i] = (float) (sum[i] / Math.sqrt(squares));
    }
    return vector;
  }

  @Override
  public void close() {
    session.close();
  }
}
