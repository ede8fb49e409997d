package dev.sluice.protocol.tfs.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import com.google.protobuf.Int64Value;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.sluice.protocol.tfs.grpc.proto.DataType;
import dev.sluice.protocol.tfs.grpc.proto.Example;
import dev.sluice.protocol.tfs.grpc.proto.Feature;
import dev.sluice.protocol.tfs.grpc.proto.Features;
import dev.sluice.protocol.tfs.grpc.proto.FloatList;
import dev.sluice.protocol.tfs.grpc.proto.GetModelMetadataRequest;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.PredictResponse;
import dev.sluice.protocol.tfs.grpc.proto.PredictionServiceGrpc;
import dev.sluice.protocol.tfs.grpc.proto.SignatureDef;
import dev.sluice.protocol.tfs.grpc.proto.SignatureDefMap;
import dev.sluice.protocol.tfs.grpc.proto.TensorInfo;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.wire.WireType;
import dev.sluice.tensor.Shape;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** TensorFlow Serving's own test models, asked as its clients ask. */
class TfsSavedModelIT {
  private static RunningServer server;
  private static ManagedChannel channel;

  @BeforeAll
  static void start() {
    server = RunningServer.start(TestModels.savedModel("", ""));
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
  }

  @AfterAll
  static void stop() throws InterruptedException {
    channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    server.close();
  }

  @Test
  void tensorsOfAnyShapeAreTakenByAModelThatDoes() {
    PredictResponse response = predict("half_plus_two", "", "x", floats(1, 2, 5));
    TensorProto y = response.getOutputsOrThrow("y");
    assertThat(y.getFloatValList()).containsExactly(2.5f, 3f, 4.5f);
    assertThat(y.getTensorShape()).isEqualTo(ProtoTensors.shape(3));
    assertThat(response.getModelSpec().getName()).isEqualTo("half_plus_two");
    assertThat(response.getModelSpec().getVersion().getValue()).isEqualTo(123);
    assertThat(response.getModelSpec().getSignatureName()).isEqualTo("serving_default");
  }

  @Test
  void anInputWithADefaultMayBeLeftOut() {
    PredictRequest request =
        PredictRequest.newBuilder().setModelSpec(spec("half_plus_two_tf2", "")).build();
    assertThat(predictions().predict(request).getOutputsMap()).containsOnlyKeys("y");
  }

  @Test
  void signaturesOverExamplesTakeThemSerialised() {
    PredictResponse response =
        predict("half_plus_two", "classify_x_to_y", "inputs", examples(2f, 8f));
    assertThat(response.getOutputsOrThrow("scores").getFloatValList()).containsExactly(3f, 6f);
    assertThat(response.getModelSpec().getSignatureName()).isEqualTo("classify_x_to_y");
  }

  @ParameterizedTest
  @CsvSource({
    "f32, FLOAT",
    "f64, DOUBLE",
    "i8, INT8",
    "i16, INT16",
    "i32, INT32",
    "i64, INT64",
    "u8, UINT8",
    "u16, UINT16",
    "u32, UINT32",
    "u64, UINT64",
    "b, BOOL",
    "f16, HALF",
    "bf16, BFLOAT16",
    "c64, COMPLEX64"
  })
  void everyTypeOfNumberComesBackAsItWent(String name, WireType type) {
    TensorProto.Builder x = ProtoTensors.header(type, 2, 3);
    byte[] memory = ProtoTensors.randomNumbers(type, Shape.of(2, 3), new Random(1));
    ProtoTensors.addNumbers(x, type, memory);
    PredictResponse response = predict("typed_io", "echo_" + name, "x", x.build());
    assertThat(response.getOutputsOrThrow("y").toByteString()).isEqualTo(x.build().toByteString());
  }

  @Test
  void metadataOfARaggedTensorHasItsTypeAsTheModelSaysIt() throws Exception {
    TensorInfo declared = signature("ragged", "serving_default").getInputsOrThrow("x");
    byte[] file = Files.readAllBytes(TestModels.savedModel("ragged", "1/saved_model.pb"));
    ByteString typeSpec =
        declared
            .getCompositeTensor()
            .getUnknownFields()
            .getField(1)
            .getLengthDelimitedList()
            .getFirst();
    assertThat(declared.getCompositeTensor().getComponentsCount()).isEqualTo(2);
    assertThat(new String(file, StandardCharsets.ISO_8859_1))
        .contains(typeSpec.toString(StandardCharsets.ISO_8859_1));
  }

  @Test
  void anOutputThatNoTensorCanBeIsRefusedByName() {
    PredictRequest request =
        PredictRequest.newBuilder()
            .setModelSpec(spec("half_plus_two_tf2", "__saved_model_init_op"))
            .build();
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(() -> predictions().predict(request))
        .withMessage(
            "UNIMPLEMENTED: output \"__saved_model_init_op\" is DT_INVALID, a type that is not"
                + " supported; name the outputs that are wanted in output_filter");
  }

  @Test
  void stringsComeBackByteForByte() {
    TensorProto.Builder x = ProtoTensors.header(WireType.STRING, 2, 2);
    ProtoTensors.addStrings(x, ProtoTensors.randomStrings(4, new Random(2)));
    assertThat(predict("typed_io", "echo_s", "x", x.build()).getOutputsOrThrow("y"))
        .isEqualTo(x.build());
  }

  @Test
  void failuresHaveTheReferencesCodesAndTexts() {
    assertFails(
        request("half_plus_two", "", "x", ProtoTensors.header(WireType.DOUBLE, 1).build()),
        Status.Code.INVALID_ARGUMENT,
        "Expects arg[0] to be float but double is provided");
    assertFails(
        request("half_plus_two", "none", "x", floats(1)),
        Status.Code.FAILED_PRECONDITION,
        "Serving signature key \"none\" not found.");
    assertFails(
        request("half_plus_two", "", "wrong", floats(1)),
        Status.Code.INVALID_ARGUMENT,
        "Signature input alias: x(feed name: x:0) not found in request and no default value"
            + " provided. Inputs expected to be in the request {wrong}, or default input alias"
            + " set: ");
    ModelSpec other = spec("half_plus_two", "").toBuilder().setVersion(Int64Value.of(99)).build();
    assertFails(
        PredictRequest.newBuilder().setModelSpec(other).build(),
        Status.Code.NOT_FOUND,
        "Servable not found for request: Specific(half_plus_two, 99)");
    assertFails(
        request(
            "typed_io",
            "echo_c64",
            "x",
            TensorProto.newBuilder().setDtype(DataType.DT_RESOURCE).build()),
        Status.Code.UNIMPLEMENTED,
        "input \"x\" is DT_RESOURCE, a type that is not supported");
  }

  @Test
  void metadataIsWhatTheModelWasSavedWith() throws InvalidProtocolBufferException {
    Map<String, SignatureDef> signatures = metadata("half_plus_two");
    assertThat(signatures)
        .containsOnlyKeys(
            "serving_default",
            "classify_x_to_y",
            "regress_x_to_y",
            "regress_x_to_y2",
            "regress_x2_to_y3");
    SignatureDef classify = Objects.requireNonNull(signatures.get("classify_x_to_y"));
    assertThat(classify.getMethodName()).isEqualTo("tensorflow/serving/classify");
    assertThat(classify.getInputsOrThrow("inputs").getDtype()).isEqualTo(DataType.DT_STRING);
    assertThat(signature("half_plus_two_tf2", "__saved_model_init_op").getOutputsMap())
        .containsOnlyKeys("__saved_model_init_op");
    assertThat(signature("typed_io", "echo_c64").getInputsOrThrow("x").getDtype())
        .isEqualTo(DataType.DT_COMPLEX64);
  }

  private static SignatureDef signature(String model, String name)
      throws InvalidProtocolBufferException {
    return Objects.requireNonNull(metadata(model).get(name));
  }

  private static Map<String, SignatureDef> metadata(String model)
      throws InvalidProtocolBufferException {
    var request =
        GetModelMetadataRequest.newBuilder()
            .setModelSpec(spec(model, ""))
            .addMetadataField("signature_def")
            .build();
    return predictions()
        .getModelMetadata(request)
        .getMetadataOrThrow("signature_def")
        .unpack(SignatureDefMap.class)
        .getSignatureDefMap();
  }

  private static TensorProto floats(float... values) {
    TensorProto.Builder proto = ProtoTensors.header(WireType.FLOAT, values.length);
    for (float value : values) {
      proto.addFloatVal(value);
    }
    return proto.build();
  }

  /** One serialised Example for each value of the feature x. */
  private static TensorProto examples(float... values) {
    TensorProto.Builder proto = ProtoTensors.header(WireType.STRING, values.length);
    for (float value : values) {
      var feature = Feature.newBuilder().setFloatList(FloatList.newBuilder().addValue(value));
      var features = Features.newBuilder().putFeature("x", feature.build());
      proto.addStringVal(Example.newBuilder().setFeatures(features).build().toByteString());
    }
    return proto.build();
  }

  private static PredictResponse predict(
      String model, String signature, String input, TensorProto tensor) {
    return predictions().predict(request(model, signature, input, tensor));
  }

  private static PredictRequest request(
      String model, String signature, String input, TensorProto tensor) {
    return PredictRequest.newBuilder()
        .setModelSpec(spec(model, signature))
        .putInputs(input, tensor)
        .build();
  }

  private static ModelSpec spec(String model, String signature) {
    return ModelSpec.newBuilder().setName(model).setSignatureName(signature).build();
  }

  private static PredictionServiceGrpc.PredictionServiceBlockingStub predictions() {
    return PredictionServiceGrpc.newBlockingStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);
  }

  private static void assertFails(PredictRequest request, Status.Code code, String text) {
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(() -> predictions().predict(request))
        .satisfies(e -> {
          assertThat(e.getStatus().getCode()).isEqualTo(code);
          assertThat(e.getStatus().getDescription()).isEqualTo(text);
        });
  }
}
