package dev.sluice.runtime.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.model.OnnxConfig;
import dev.sluice.config.model.RuntimesConfig;
import dev.sluice.config.model.TensorflowConfig;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.ModelSource;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.TestModels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class OnnxRuntimeProviderIT {
  private final OnnxRuntimeProvider provider = new OnnxRuntimeProvider();

  @TempDir Path folder;

  @Test
  void recognisesAFolderWithAModelFileAndTheFileItself() {
    Path model = TestModels.onnx("test_add");
    assertThat(provider.recognises(model)).isTrue();
    assertThat(provider.recognises(model.resolve("model.onnx"))).isTrue();
    assertThat(provider.recognises(model.resolve("test_data_set_0"))).isFalse();
    assertThat(provider.recognises(folder.resolve("nothing"))).isFalse();
  }

  @Test
  void opensAModelByItsFile() {
    Path file = TestModels.onnx("test_add").resolve("model.onnx");
    try (ModelSession session = provider.open(TestModels.source(file))) {
      assertThat(session.metadata().platform()).isEqualTo("onnxruntime_onnx");
    }
  }

  @Test
  void aBrokenFileFailsWithATextThatNamesIt() throws IOException {
    long open = TensorMemory.openBlocks();
    Path file = Files.writeString(folder.resolve("model.onnx"), "no model at all");
    assertThatThrownBy(() -> provider.open(TestModels.source(folder)))
        .isInstanceOf(InferenceException.class)
        .hasMessageStartingWith("model test/1: cannot open " + file + ": ");
    assertThat(TensorMemory.openBlocks()).isEqualTo(open);
  }

  @Test
  void anEmptyFileFails() throws IOException {
    Files.createFile(folder.resolve("model.onnx"));
    assertThatThrownBy(() -> provider.open(TestModels.source(folder)))
        .isInstanceOf(InferenceException.class);
  }

  @Test
  void aModelThatNeedsAnInputNoProtocolCarriesIsRefused() throws IOException {
    new OnnxModelWriter()
        .sequenceInput("list")
        .output("length", 7)
        .node("SequenceLength", "length", "list")
        .writeTo(folder);
    assertThatThrownBy(() -> provider.open(TestModels.source(folder)))
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining("input 'list' is of type sequence, which no protocol here can send");
  }

  @Test
  void complexNumbersAreRefusedWithTheirType() throws IOException {
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.COMPLEX64, "2")
        .output("y", OnnxModelWriter.COMPLEX64, "2")
        .node("Identity", "y", "x")
        .writeTo(folder);
    assertThatThrownBy(() -> provider.open(TestModels.source(folder)))
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining("tensor(complex64)");
  }

  @Test
  void declaresNamesTypesAndShapes() {
    ModelMetadata metadata = metadata(TestModels.onnx("derived_dyn_matmul"));
    assertThat(metadata.shapesBind()).isTrue();
    assertThat(metadata.maxBatchSize()).isZero();
    Signature signature = metadata.signature(Signature.DEFAULT).orElseThrow();
    assertThat(signature.method()).isEqualTo("tensorflow/serving/predict");
    assertThat(signature.inputs())
        .containsExactly(
            spec("a", Shape.of(-1, -1), "M", "K"), spec("b", Shape.of(-1, -1), "K", "N"));
    assertThat(signature.outputs()).containsExactly(spec("c", Shape.of(-1, -1), "M", "N"));
  }

  @Test
  void aDimensionWithoutSizeIsOpenAndSoIsARankThatIsNotGiven() throws IOException {
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "2", "")
        .inputOfUnknownRank("y", OnnxModelWriter.FLOAT)
        .output("z", OnnxModelWriter.FLOAT, "2", "n")
        .node("Add", "z", "x", "y")
        .writeTo(folder);
    Signature signature = metadata(folder).signature("").orElseThrow();
    assertThat(signature.inputs())
        .containsExactly(spec("x", Shape.of(2, -1), "", ""), spec("y", Shape.UNKNOWN));
  }

  @Test
  void inputsWithAnInitializerAreOptional() {
    Signature signature =
        metadata(TestModels.onnx("test_sequence_model1")).signature("").orElseThrow();
    assertThat(signature.inputs())
        .extracting(TensorSpec::name)
        .containsExactlyInAnyOrder("X", "Y", "Z", "pos", "pos_at");
    assertThat(signature.inputs())
        .filteredOn(TensorSpec::optional)
        .extracting(TensorSpec::name)
        .containsExactlyInAnyOrder("pos", "pos_at");
  }

  @ParameterizedTest
  @EnumSource
  void everySettingOpensAModel(OnnxConfig.GraphOptimization optimization) {
    var config =
        new OnnxConfig(
            new OnnxConfig.Threads(Optional.of(2), 2, true, false), false, false, optimization);
    var settings = new RuntimesConfig(config, TensorflowConfig.DEFAULT);
    var source =
        new ModelSource(new ModelId("test", 1), TestModels.onnx("test_matmul_2d"), settings);
    try (ModelSession session = provider.open(source)) {
      assertThat(session.metadata().signatures()).hasSize(1);
    }
  }

  private ModelMetadata metadata(Path model) {
    try (ModelSession session = provider.open(TestModels.source(model))) {
      return session.metadata();
    }
  }

  private static TensorSpec spec(String name, Shape shape, String... dimensionNames) {
    return new TensorSpec(
        name, DataType.FP32, shape, false, name, "tensor(float)", List.of(dimensionNames));
  }
}
