package dev.sluice.runtime.tensorflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.model.OnnxConfig;
import dev.sluice.config.model.RuntimesConfig;
import dev.sluice.config.model.SessionOptions;
import dev.sluice.config.model.TensorflowConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.ModelSource;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.TestModels;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TensorflowRuntimeProviderIT {
  private final TensorflowRuntimeProvider provider = new TensorflowRuntimeProvider();

  @TempDir Path folder;

  @Test
  void recognisesAFolderWithASavedModel() {
    assertThat(provider.recognises(TestModels.savedModel("counter", "00000123"))).isTrue();
    assertThat(provider.recognises(TestModels.onnx("test_add"))).isFalse();
    assertThat(provider.recognises(folder.resolve("nothing"))).isFalse();
  }

  @Test
  void aBrokenFileFailsWithATextThatNamesItsFolder() throws IOException {
    long open = TensorMemory.openBlocks();
    Files.writeString(folder.resolve("saved_model.pb"), "no model at all");
    assertThatThrownBy(() -> provider.open(TestModels.source(folder)))
        .isInstanceOf(InferenceException.class)
        .hasMessageStartingWith("model test/1: cannot open " + folder + ": ");
    assertThat(TensorMemory.openBlocks()).isEqualTo(open);
  }

  @ParameterizedTest
  @CsvSource({
    "SentencepieceOp, is an operation of TensorFlow Text",
    "CaseFoldUTF8, is an operation of TensorFlow Text",
    "TFText>RoundRobinTrim, is an operation of TensorFlow Text",
    "SimpleMLInferenceOpWithHandle, is an operation of TensorFlow Decision Forests",
    "Addons>Resampler, is an operation of TensorFlow Addons",
    "OwnOperation, is no operation of TensorFlow itself",
  })
  void anOperationOfAnotherLibraryIsNamedWithThatLibrary(String operation, String text)
      throws IOException {
    Files.writeString(
        folder.resolve("saved_model.pbtxt"),
        """
        saved_model_schema_version: 1
        meta_graphs {
          meta_info_def { tags: "serve" }
          graph_def { node { name: "x" op: "%s" } versions { producer: 1 } }
        }
        """
            .formatted(operation));
    assertThatThrownBy(() -> provider.open(TestModels.source(folder)))
        .isInstanceOfSatisfying(
            InferenceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND))
        .hasMessageContaining("Op type not registered '" + operation + "'")
        .hasMessageContaining("'" + operation + "' " + text)
        .hasMessageEndingWith(" operations are not part of this server");
  }

  @Test
  void aSessionThatSharesAModelSeesItsVariablesAndOutlivesTheFirst() {
    Path path = TestModels.savedModel("counter", "00000123");
    ModelSession first = provider.open(TestModels.source(path));
    try (ModelSession second = first.share().orElseThrow()) {
      assertThat(counted(first)).isEqualTo(1f);
      assertThat(counted(second)).isEqualTo(2f);
      first.close();
      assertThat(counted(second)).isEqualTo(3f);
      try (ModelSession third = first.share().orElseThrow()) {
        assertThat(counted(third)).isEqualTo(4f);
      }
    }
    assertThat(first.share()).isEmpty();
  }

  private static float counted(ModelSession session) {
    Signature signature = session.metadata().signature("incr_counter").orElseThrow();
    List<NamedTensor> outputs = session.run(signature, List.of(), signature.outputs());
    try {
      return outputs.getFirst().tensor().data().get(ValueLayout.JAVA_FLOAT, 0);
    } finally {
      NamedTensor.closeAll(outputs);
    }
  }

  @Test
  void sessionsAreOpenedWithTheOptionsThatAreSet() {
    Path path = TestModels.savedModel("half_plus_two_tf2", "00000123");
    var config =
        new TensorflowConfig(
            0,
            0,
            List.of("serve"),
            false,
            SessionOptions.read(
                "test",
                "device_count { key: 'CPU' value: 1 } allow_soft_placement: true"
                    + " graph_options { optimizer_options { opt_level: L0 }"
                    + " rewrite_options { constant_folding: OFF optimizers: 'pruning' } }"),
            true);
    var settings = new RuntimesConfig(OnnxConfig.DEFAULT, config);
    try (ModelSession session =
        provider.open(new ModelSource(new ModelId("test", 1), path, settings))) {
      Signature signature = session.metadata().signature("").orElseThrow();
      NamedTensor.closeAll(session.run(signature, List.of(), signature.outputs()));
    }
    var wrong =
        new TensorflowConfig(
            1,
            -1,
            List.of("serve"),
            false,
            new SessionOptions("device_count { key: 'CPU' value: 0 }"),
            false);
    assertThatThrownBy(() ->
            provider
                .open(
                    new ModelSource(
                        new ModelId("test", 1),
                        path,
                        new RuntimesConfig(OnnxConfig.DEFAULT, wrong)))
                .close())
        .isInstanceOf(InferenceException.class);
  }

  @Test
  void everyRunIsCounted() {
    Path path = TestModels.savedModel("half_plus_two_tf2", "00000123");
    try (ModelSession session = provider.open(TestModels.source(path))) {
      Signature signature = session.metadata().signature("").orElseThrow();
      NamedTensor.closeAll(session.run(signature, List.of(), signature.outputs()));
    }
    assertThat(provider.totals().runs()).isOne();
    assertThat(provider.totals().nanos()).isPositive();
  }

  @Test
  void aTagThatTheModelDoesNotHaveIsAFailure() {
    var config = new TensorflowConfig(1, -1, List.of("train"));
    var settings = new RuntimesConfig(OnnxConfig.DEFAULT, config);
    var source =
        new ModelSource(
            new ModelId("test", 1), TestModels.savedModel("counter", "00000123"), settings);
    assertThatThrownBy(() -> provider.open(source))
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining("train");
  }

  @Test
  void declaresEverySignature() {
    ModelMetadata metadata = metadata("half_plus_two", "00000123");
    assertThat(metadata.platform()).isEqualTo("tensorflow_savedmodel");
    assertThat(metadata.shapesBind()).isFalse();
    assertThat(metadata.signatures().keySet())
        .containsExactly(
            "classify_x_to_y",
            "regress_x2_to_y3",
            "regress_x_to_y",
            "regress_x_to_y2",
            "serving_default");
    Signature predict = metadata.signature("").orElseThrow();
    assertThat(predict.method()).isEqualTo("tensorflow/serving/predict");
    assertThat(predict.inputs())
        .containsExactly(
            new TensorSpec("x", DataType.FP32, Shape.of(-1, 1), false, "x:0", "DT_FLOAT"));
    Signature regress = metadata.signature("regress_x_to_y").orElseThrow();
    assertThat(regress.method()).isEqualTo("tensorflow/serving/regress");
    assertThat(regress.input("inputs").orElseThrow().shape()).isEqualTo(Shape.UNKNOWN);
    assertThat(regress.input("inputs").orElseThrow().type()).isEqualTo(DataType.BYTES);
  }

  @Test
  void anInputWithADefaultIsOptional() {
    ModelMetadata metadata = metadata("half_plus_two_tf2", "00000123");
    TensorSpec x = metadata.signature("").orElseThrow().input("x").orElseThrow();
    assertThat(x.optional()).isTrue();
    assertThat(x.shape()).isEqualTo(Shape.of(1));
    Signature init = metadata.signature("__saved_model_init_op").orElseThrow();
    assertThat(init.inputs()).isEmpty();
    assertThat(init.outputs().getFirst().type()).isEqualTo(DataType.UNSUPPORTED);
  }

  @Test
  void aVariableIsDeclaredByReference() {
    Signature signature = metadata("counter", "00000123").signature("get_counter").orElseThrow();
    assertThat(signature.inputs()).isEmpty();
    TensorSpec output = signature.output("output").orElseThrow();
    assertThat(output.type()).isEqualTo(DataType.FP32);
    assertThat(output.nativeType()).isEqualTo("DT_FLOAT_REF");
    assertThat(output.shape()).isEqualTo(Shape.SCALAR);
  }

  @Test
  void aTypeOfTensorflowsAloneKeepsItsName() {
    Signature signature = metadata("typed_io", "1").signature("echo_c64").orElseThrow();
    assertThat(signature.inputs())
        .containsExactly(
            new TensorSpec(
                "x",
                DataType.COMPLEX64,
                Shape.UNKNOWN,
                false,
                signature.inputs().getFirst().nativeName(),
                "DT_COMPLEX64"));
  }

  @Test
  void inputsAndOutputsAreDeclaredByName() {
    Signature signature = metadata("typed_io", "1").signature("all_types").orElseThrow();
    assertThat(signature.inputs())
        .extracting(TensorSpec::name)
        .containsExactly("b", "f32", "f64", "i16", "i32", "i64", "i8", "s", "u32", "u64", "u8");
    assertThat(signature.outputs()).extracting(TensorSpec::name).isSorted();
  }

  private ModelMetadata metadata(String model, String version) {
    Path path = TestModels.savedModel(model, version);
    try (ModelSession session = provider.open(TestModels.source(path))) {
      return session.metadata();
    }
  }
}
