package dev.sluice.protocol.tfs.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.Signature;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.v1.http.V1Report;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TfsDialectTest {
  private final TfsDialect dialect = new TfsDialect();

  @Test
  void metadataListsAllSignaturesUnderTensorflowsNames() {
    var x = new TensorSpec("x", DataType.FP32, Shape.of(-1, 1), false, "x:0", "DT_FLOAT");
    var total = new TensorSpec("c", DataType.FP32, Shape.SCALAR, false, "c:0", "DT_FLOAT_REF");
    var signatures = new LinkedHashMap<String, Signature>();
    signatures.put(
        "serving_default",
        new Signature("serving_default", "tensorflow/serving/predict", List.of(x), List.of(total)));
    assertThat(metadata(new ModelMetadata("tensorflow_savedmodel", signatures, false, 0)))
        .isEqualTo(
            "\"model_spec\":{\"name\":\"m\",\"signature_name\":\"\",\"version\":\"7\"},"
                + "\"metadata\":{\"signature_def\":{\"signature_def\":{\"serving_default\":{"
                + "\"inputs\":{\"x\":{\"dtype\":\"DT_FLOAT\",\"tensor_shape\":{\"dim\":["
                + "{\"size\":\"-1\",\"name\":\"\"},{\"size\":\"1\",\"name\":\"\"}],"
                + "\"unknown_rank\":false},\"name\":\"x:0\"}},"
                + "\"outputs\":{\"c\":{\"dtype\":\"DT_FLOAT_REF\",\"tensor_shape\":{\"dim\":[],"
                + "\"unknown_rank\":false},\"name\":\"c:0\"}},"
                + "\"method_name\":\"tensorflow/serving/predict\",\"defaults\":{}}}}}");
  }

  @Test
  void metadataOfOtherFormatsUsesTensorflowsNamesForTypes() {
    var inputs =
        List.of(
            new TensorSpec("a", DataType.FP16, Shape.UNKNOWN),
            new TensorSpec("b", DataType.BYTES, Shape.SCALAR),
            new TensorSpec("c", DataType.BOOL, Shape.SCALAR));
    var signature = new Signature("serving_default", "", inputs, List.of());
    var model =
        new ModelMetadata("onnxruntime_onnx", Map.of("serving_default", signature), true, 0);
    assertThat(metadata(model))
        .contains(
            "\"a\":{\"dtype\":\"DT_HALF\",\"tensor_shape\":{\"dim\":[],\"unknown_rank\":true}")
        .contains("\"b\":{\"dtype\":\"DT_STRING\"")
        .contains("\"c\":{\"dtype\":\"DT_BOOL\"");
  }

  @Test
  void statusShowsTheHighestVersionFirstAndWhyALoadFailed() {
    var failure = new VersionStatus.Failure(ErrorCode.INVALID_ARGUMENT, "broken \"file\"");
    var versions =
        List.of(
            VersionStatus.of(1, VersionState.AVAILABLE),
            new VersionStatus(2, VersionState.END, Optional.of(failure)));
    var out = new JsonWriter(64);
    dialect.write(new V1Report.Versions("m", versions, Optional.empty(), Optional.empty()), out);
    assertThat(out.toBuffer().toString())
        .isEqualTo(
            "\"model_version_status\":[{\"version\":\"2\",\"state\":\"END\",\"status\":{"
                + "\"error_code\":\"INVALID_ARGUMENT\",\"error_message\":\"broken \\\"file\\\"\"}},"
                + "{\"version\":\"1\",\"state\":\"AVAILABLE\",\"status\":{"
                + "\"error_code\":\"OK\",\"error_message\":\"\"}}]");
  }

  @Test
  void aLabelOfAVersionThatEndedNamesTheVersion() {
    InferenceException refusal =
        dialect.refuse(
            new ModelSelector.Label("m", "stable"),
            new ModelLookup.NotReady("m", 3, VersionState.END, "file not found"));
    assertThat(refusal.code()).isEqualTo(ErrorCode.NOT_FOUND);
    assertThat(refusal).hasMessage("Servable not found for request: Specific(m, 3)");
  }

  @Test
  void aVersionThatIsUnloadingIsNotFoundAsThere() {
    InferenceException refusal =
        dialect.refuse(
            new ModelSelector.Latest("m"),
            new ModelLookup.NotReady("m", 3, VersionState.UNLOADING, "version 3 is unloading"));
    assertThat(refusal.code()).isEqualTo(ErrorCode.NOT_FOUND);
    assertThat(refusal).hasMessage("Servable not found for request: Latest(m)");
  }

  @Test
  void aLabelOfAVersionThatIsLoadingIsUnavailableAndSaysWhy() {
    InferenceException refusal =
        dialect.refuse(
            new ModelSelector.Label("m", "stable"),
            new ModelLookup.NotReady("m", 3, VersionState.LOADING, "version 3 is loading"));
    assertThat(refusal.code()).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(refusal)
        .hasMessage("Servable not ready for request: Specific(m, 3): version 3 is loading");
  }

  @Test
  void whatTensorflowServingRefusesInJsonIsRefusedForItsOwnModelsOnly() {
    assertThat(dialect.carries(tensor(DataType.UINT16, "DT_UINT16"))).isFalse();
    assertThat(dialect.carries(tensor(DataType.UINT16, "tensor(uint16)"))).isTrue();
    assertThat(dialect.carries(tensor(DataType.FP16, "DT_HALF"))).isTrue();
    assertThat(dialect.carries(tensor(DataType.COMPLEX128, "DT_COMPLEX128"))).isFalse();
  }

  private static TensorSpec tensor(DataType type, String nativeType) {
    return new TensorSpec("x", type, Shape.UNKNOWN, false, "x:0", nativeType);
  }

  private String metadata(ModelMetadata model) {
    var out = new JsonWriter(64);
    dialect.write(new V1Report.Metadata(new ModelId("m", 7), model), out);
    return out.toBuffer().toString();
  }
}
