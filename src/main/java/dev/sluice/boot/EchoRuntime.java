package dev.sluice.boot;

import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.ModelSource;
import dev.sluice.runtime.RuntimeProvider;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Opens a built-in model in every folder, which answers its input {@code x} as its output {@code
 * y}: for the warm-up of protocols, which needs no native library.
 */
final class EchoRuntime implements RuntimeProvider {
  private static final Signature SIGNATURE =
      new Signature(
          Signature.DEFAULT,
          "tensorflow/serving/predict",
          List.of(new TensorSpec("x", DataType.FP32, Shape.of(Shape.ANY))),
          List.of(new TensorSpec("y", DataType.FP32, Shape.of(Shape.ANY))));

  private static final ModelMetadata METADATA =
      new ModelMetadata("echo", Map.of(Signature.DEFAULT, SIGNATURE), true, 0);

  @Override
  public String name() {
    return "echo";
  }

  @Override
  public boolean recognises(Path folder) {
    return true;
  }

  @Override
  public ModelSession open(ModelSource source) {
    return new EchoSession();
  }

  private static final class EchoSession implements ModelSession {
    @Override
    public ModelMetadata metadata() {
      return METADATA;
    }

    @Override
    public List<NamedTensor> run(
        Signature signature, List<NamedTensor> inputs, List<TensorSpec> outputs) {
      return outputs.stream()
          .map(output -> new NamedTensor(output.name(), copy(inputs.getFirst().tensor())))
          .toList();
    }

    private static Tensor copy(Tensor input) {
      Tensor output = Tensor.allocate(input.type(), input.shape());
      output.data().copyFrom(input.data());
      return output;
    }

    @Override
    public void close() {}
  }
}
