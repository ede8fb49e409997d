package dev.sluice.runtime.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.OnnxTensorFile;
import dev.sluice.testing.Tensors;
import dev.sluice.testing.TestModels;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every model with recorded answers gives them. */
class OnnxRecordedModelsIT {
  @ParameterizedTest
  @MethodSource("models")
  void givesTheRecordedAnswers(Path model) throws IOException {
    long open = TensorMemory.openBlocks();
    try (ModelSession session = new OnnxRuntimeProvider().open(TestModels.source(model))) {
      for (Path dataSet : TestModels.dataSets(model)) {
        check(session, dataSet);
      }
    }
    assertThat(TensorMemory.openBlocks()).isEqualTo(open);
  }

  static List<Path> models() throws IOException {
    List<Path> models = TestModels.allOnnx();
    assertThat(models).hasSizeGreaterThan(50);
    return models;
  }

  private static void check(ModelSession session, Path dataSet) throws IOException {
    Signature signature = session.metadata().signature("").orElseThrow();
    List<NamedTensor> inputs = readInputs(signature, dataSet);
    List<NamedTensor> outputs = session.run(signature, inputs, signature.outputs());
    List<Path> expected = TestModels.recorded(dataSet, "output");
    assertThat(outputs).hasSameSizeAs(expected);
    for (int i = 0; i < outputs.size(); i++) {
      TensorSpec declared = signature.outputs().get(i);
      assertThat(outputs.get(i).name()).isEqualTo(declared.name());
      assertThat(declared.shape().accepts(outputs.get(i).tensor().shape())).isTrue();
      try (Tensor wanted = OnnxTensorFile.read(expected.get(i))) {
        Tensors.assertSame(outputs.get(i).tensor(), wanted);
      }
    }
    NamedTensor.closeAll(outputs);
    NamedTensor.closeAll(inputs);
  }

  private static List<NamedTensor> readInputs(Signature signature, Path dataSet)
      throws IOException {
    var inputs = new ArrayList<NamedTensor>();
    for (Path file : TestModels.recorded(dataSet, "input")) {
      String name = signature.inputs().get(inputs.size()).name();
      inputs.add(new NamedTensor(name, OnnxTensorFile.read(file)));
    }
    return inputs;
  }
}
