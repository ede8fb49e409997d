package dev.sluice.protocol.tfs.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Int64Value;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.Signature;
import dev.sluice.inference.VersionState;
import dev.sluice.protocol.tfs.grpc.proto.GetModelMetadataRequest;
import dev.sluice.protocol.tfs.grpc.proto.GetModelMetadataResponse;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.PredictResponse;
import dev.sluice.protocol.tfs.grpc.proto.SignatureDefMap;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.wire.RequestedModel;
import dev.sluice.protocol.tfs.grpc.wire.WireType;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.AnsweringDataPlane;
import dev.sluice.testing.FakeModelLease;
import dev.sluice.testing.LocalGrpcCall;
import dev.sluice.testing.Mutations;
import dev.sluice.transport.Body;
import dev.sluice.transport.grpc.method.GrpcMethod;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TfsPredictionServiceHandlerTest {
  private static final TensorSpec X =
      new TensorSpec("x", DataType.FP32, Shape.of(-1, 2), false, "x:0", "DT_FLOAT");
  private static final TensorSpec COUNT =
      new TensorSpec("count", DataType.INT32, Shape.SCALAR, true, "count:0", "DT_INT32");
  private static final TensorSpec Y = new TensorSpec("y", DataType.FP32, Shape.UNKNOWN);
  private static final TensorSpec Z = new TensorSpec("z", DataType.BYTES, Shape.of(2));
  private static final TensorProto FLOATS =
      ProtoTensors.header(WireType.FLOAT, 1, 2).addFloatVal(1).addFloatVal(2).build();

  private final long openBefore = TensorMemory.openBlocks();
  private FakeModelLease model = lease(false);
  private final LocalGrpcCall call = new LocalGrpcCall();

  @AfterEach
  void nothingIsLeftOpen() {
    assertThat(TensorMemory.openBlocks()).isEqualTo(openBefore);
    assertThat(model.leases()).isZero();
  }

  @Test
  void predictAnswersWithTheOutputsAndTheConcreteVersion() throws InvalidProtocolBufferException {
    PredictResponse response = predict(request().build());
    assertThat(response.getOutputsOrThrow("y")).isEqualTo(FLOATS);
    assertThat(response.getModelSpec())
        .isEqualTo(
            ModelSpec.newBuilder()
                .setName("m")
                .setVersion(Int64Value.of(3))
                .setSignatureName("serving_default")
                .build());
    assertThat(call.cancelAction()).isNotNull();
  }

  @Test
  void theVersionOrTheLabelOfTheSpecIsLookedUp() {
    assertSelected(ModelSpec.newBuilder(), new ModelSelector.Latest("m"));
    assertSelected(
        ModelSpec.newBuilder().setVersion(Int64Value.of(0)), new ModelSelector.Version("m", 0));
    assertSelected(
        ModelSpec.newBuilder().setVersion(Int64Value.of(Long.MAX_VALUE)),
        new ModelSelector.Version("m", Long.MAX_VALUE));
    assertSelected(
        ModelSpec.newBuilder().setVersionLabel("canary"), new ModelSelector.Label("m", "canary"));
  }

  @Test
  void aSpecIsWanted() {
    assertFails(request().clearModelSpec(), ErrorCode.INVALID_ARGUMENT, "Missing ModelSpec");
    assertFails(
        request().setModelSpec(ModelSpec.getDefaultInstance()),
        ErrorCode.INVALID_ARGUMENT,
        "ModelSpec has no name specified.");
  }

  @Test
  void modelsThatAreNotThereAreNotFound() {
    ModelSpec version = ModelSpec.newBuilder().setName("m").setVersion(Int64Value.of(9)).build();
    ModelSpec label = ModelSpec.newBuilder().setName("m").setVersionLabel("l").build();
    assertMissing(
        ModelSpec.newBuilder().setName("m").build(),
        new ModelLookup.UnknownModel("m"),
        ErrorCode.NOT_FOUND,
        "Servable not found for request: Latest(m)");
    assertMissing(
        version,
        new ModelLookup.UnknownModel("m"),
        ErrorCode.NOT_FOUND,
        "Servable not found for request: Specific(m, 9)");
    assertMissing(
        version,
        new ModelLookup.UnknownVersion("m", 9),
        ErrorCode.NOT_FOUND,
        "Servable not found for request: Specific(m, 9)");
    assertMissing(
        label,
        new ModelLookup.UnknownLabel("m", "l"),
        ErrorCode.INVALID_ARGUMENT,
        "Unrecognized servable version label: l");
    assertMissing(
        label,
        new ModelLookup.UnknownModel("m"),
        ErrorCode.INVALID_ARGUMENT,
        "Unrecognized servable version label: l");
    assertMissing(
        version,
        new ModelLookup.NotReady("m", 9, VersionState.END, "gone"),
        ErrorCode.NOT_FOUND,
        "Servable not found for request: Specific(m, 9)");
    assertMissing(
        version,
        new ModelLookup.NotReady("m", 9, VersionState.LOADING, "warming up"),
        ErrorCode.UNAVAILABLE,
        "Servable not ready for request: Specific(m, 9): warming up");
  }

  @Test
  void anUnknownSignatureIsAFailedPrecondition() {
    assertFails(
        request().setModelSpec(ModelSpec.newBuilder().setName("m").setSignatureName("sig")),
        ErrorCode.FAILED_PRECONDITION,
        "Serving signature key \"sig\" not found.");
  }

  @Test
  void inputsMustBeThoseOfTheSignature() {
    assertFails(
        request().clearInputs().setModelSpec(signature("strict")),
        ErrorCode.INVALID_ARGUMENT,
        "input size does not match signature: 0!=1 len({}) != len({x}). Sent extra: {}."
            + " Missing but required: {x}.");
    assertFails(
        request().putInputs("a", FLOATS).putInputs("b", FLOATS),
        ErrorCode.INVALID_ARGUMENT,
        "input size does not match signature: 3!=2 len({a,b,x}) != len({count,x})."
            + " Sent extra: {a,b}. Missing but required: {count}.");
    assertFails(
        request().clearInputs().putInputs("wrong", FLOATS).setModelSpec(signature("strict")),
        ErrorCode.INVALID_ARGUMENT,
        "Signature input alias: x(feed name: x:0) not found in request and no default value"
            + " provided. Inputs expected to be in the request {wrong}, or default input alias"
            + " set: ");
    assertFails(
        request().putInputs("wrong", FLOATS),
        ErrorCode.INVALID_ARGUMENT,
        "Inputs contains invalid name. Used request inputs: x, request input: wrong,x");
  }

  @Test
  void anInputWithADefaultMayBeSent() throws InvalidProtocolBufferException {
    TensorProto five = ProtoTensors.header(WireType.INT32).addIntVal(5).build();
    assertThat(predict(request().putInputs("count", five).build()).getOutputsMap())
        .containsOnlyKeys("y");
  }

  @Test
  void aDeclaredTypeBindsOnlyWhereTheModelSaysSo() throws InvalidProtocolBufferException {
    TensorProto wrong = ProtoTensors.header(WireType.DOUBLE).build();
    assertThat(predict(request().putInputs("x", wrong).build()).getOutputsMap()).isNotEmpty();
    model = lease(true);
    assertFails(
        request().putInputs("x", ProtoTensors.header(WireType.DOUBLE).build()),
        ErrorCode.INVALID_ARGUMENT,
        "Expects arg[0] to be float but double is provided");
    assertFails(
        request().putInputs("count", ProtoTensors.header(WireType.INT64).build()),
        ErrorCode.INVALID_ARGUMENT,
        "Expects arg[1] to be int32 but int64 is provided");
  }

  @Test
  void aDeclaredShapeBindsOnlyWhereTheModelSaysSo() throws InvalidProtocolBufferException {
    TensorProto wrong = ProtoTensors.header(WireType.FLOAT, 3).build();
    PredictRequest.Builder request = request().putInputs("x", wrong);
    assertThat(predict(request.build()).getOutputsOrThrow("y").getTensorShape())
        .isEqualTo(ProtoTensors.shape(3));
    model = lease(true);
    assertFails(
        request, ErrorCode.INVALID_ARGUMENT, "input \"x\" has shape [3], the model takes [-1,2]");
  }

  @Test
  void onlyOutputsOfTheSignatureMayBeWantedAndEachOnce() throws InvalidProtocolBufferException {
    assertThat(predict(request().addOutputFilter("y").build()).getOutputsMap())
        .containsOnlyKeys("y");
    assertFails(
        request().addOutputFilter("zzz"),
        ErrorCode.INVALID_ARGUMENT,
        "output tensor alias not found in signature: zzz Outputs expected to be in the set"
            + " {y,z}.");
    assertFails(
        request().addOutputFilter("y").addOutputFilter("y"),
        ErrorCode.INVALID_ARGUMENT,
        "duplicate output tensor alias: y");
  }

  @Test
  void aTinyMessageMayNotAskForMuchMemory() {
    TensorProto huge = ProtoTensors.header(WireType.FLOAT, 1_000_000_000).addFloatVal(1).build();
    assertFails(
        request().putInputs("x", huge),
        ErrorCode.INVALID_ARGUMENT,
        "input \"x\" of shape [1000000000] takes 4000000000 bytes, its message has 18; at most"
            + " 67108864 may be filled up");
  }

  @Test
  void aValueFoundWrongWhileCopyingLeavesNothingOpen() {
    TensorProto five = ProtoTensors.header(WireType.INT32).addIntVal(5).build();
    byte[] uneven = {8, 1, 18, 4, 18, 2, 8, 1, 42, 3, 0, 0, 0};
    byte[] sound = request().putInputs("count", five).build().toByteArray();
    assertThat(failure(answer("Predict", Body.of(replaceX(sound, uneven)))))
        .hasMessage("tensor parsing error: x: float_val has 3 bytes, wanted a multiple of 4");
  }

  /** Another entry for x behind all others, which counts then. */
  private static byte[] replaceX(byte[] message, byte[] proto) {
    return ByteString.copyFrom(message)
        .concat(
            ByteString.copyFrom(
                new byte[] {18, (byte) (proto.length + 5), 10, 1, 'x', 18, (byte) proto.length}))
        .concat(ByteString.copyFrom(proto))
        .toByteArray();
  }

  @Test
  void aFailureOfTheModelIsPassedOn() {
    TfsPredictionServiceHandler busy =
        protocolHandler(_ -> {
          throw new InferenceException(ErrorCode.RESOURCE_EXHAUSTED, "busy");
        });
    Body message = Body.of(request().build().toByteArray());
    assertThat(failure(method(busy, "Predict").answer(call, message))).hasMessage("busy");
  }

  @Test
  void metadataTellsTheSignaturesAsTensorFlowDoes() throws InvalidProtocolBufferException {
    GetModelMetadataRequest request =
        GetModelMetadataRequest.newBuilder()
            .setModelSpec(ModelSpec.newBuilder().setName("m"))
            .addMetadataField("signature_def")
            .build();
    GetModelMetadataResponse response =
        GetModelMetadataResponse.parseFrom(succeed("GetModelMetadata", request));
    assertThat(response.getModelSpec().getVersion().getValue()).isEqualTo(3);
    assertThat(response.getModelSpec().getSignatureName()).isEmpty();
    var any = response.getMetadataOrThrow("signature_def");
    assertThat(any.getTypeUrl())
        .isEqualTo("type.googleapis.com/tensorflow.serving.SignatureDefMap");
    var signature = any.unpack(SignatureDefMap.class).getSignatureDefOrThrow("serving_default");
    var x = signature.getInputsOrThrow("x");
    assertThat(x.getName()).isEqualTo("x:0");
    assertThat(x.getDtypeValue()).isEqualTo(WireType.FLOAT.number());
    assertThat(x.getTensorShape()).isEqualTo(ProtoTensors.shape(-1, 2));
    assertThat(signature.getOutputsOrThrow("y").getTensorShape().getUnknownRank()).isTrue();
    assertThat(signature.getOutputsOrThrow("z").getDtypeValue()).isEqualTo(7);
    assertThat(signature.getMethodName()).isEqualTo("tensorflow/serving/predict");
  }

  @Test
  void metadataIsAskedForByField() {
    var request = GetModelMetadataRequest.newBuilder();
    assertThat(failure(answer("GetModelMetadata", request.build())))
        .hasMessage("Missing ModelSpec");
    request.setModelSpec(ModelSpec.newBuilder().setName("m"));
    assertThat(failure(answer("GetModelMetadata", request.build())))
        .hasMessage("GetModelMetadataRequest must specify at least one metadata_field");
    assertThat(failure(answer("GetModelMetadata", request.addMetadataField("other").build())))
        .hasMessage("Metadata field other is not supported");
  }

  @Test
  void brokenMessagesAreTheCallersFaultAndLeaveNothingOpen() {
    var mutations = new Mutations(11);
    byte[] sound = manyTensors().toByteArray();
    for (int i = 0; i < 2000; i++) {
      byte[] message = mutations.damage(sound);
      Future<Buffer> answer = answer("Predict", Body.of(message));
      if (answer.failed()) {
        assertThat(failure(answer).code().fault()).isEqualTo(ErrorCode.Fault.CALLER);
      }
      assertThat(TensorMemory.openBlocks()).isEqualTo(openBefore);
      assertThat(model.leases()).isZero();
    }
  }

  private static PredictRequest manyTensors() {
    var random = new Random(13);
    var request = PredictRequest.newBuilder().setModelSpec(signature("all"));
    for (WireType type : WireType.values()) {
      TensorProto.Builder proto = ProtoTensors.header(type, 2, 3);
      if (type == WireType.STRING) {
        ProtoTensors.addStrings(proto, new byte[][] {{1, 2}, {}, {3}});
      } else {
        byte[] memory = ProtoTensors.randomNumbers(type, Shape.of(2, 3), random);
        ProtoTensors.addNumbers(proto, type, memory);
      }
      request.putInputs(type.text(), proto.build());
    }
    return request.addOutputFilter("y").build();
  }

  private void assertSelected(ModelSpec.Builder spec, ModelSelector expected) {
    Body message = Body.of(request().setModelSpec(spec.setName("m")).build().toByteArray());
    assertThat(PredictRequestView.read(message).model().selector()).isEqualTo(expected);
    assertThat(RequestedModel.of(spec.build()).selector()).isEqualTo(expected);
  }

  private void assertMissing(ModelSpec spec, ModelLookup found, ErrorCode code, String text) {
    var data = new AnsweringDataPlane(_ -> found, _ -> List.of());
    var handler = new TfsPredictionServiceHandler(data, PredictSettings.DEFAULT);
    Body message = Body.of(request().setModelSpec(spec).build().toByteArray());
    InferenceException failure = failure(method(handler, "Predict").answer(call, message));
    assertThat(failure).hasMessage(text);
    assertThat(failure.code()).isEqualTo(code);
  }

  private void assertFails(PredictRequest.Builder request, ErrorCode code, String text) {
    InferenceException failure = failure(answer("Predict", request.build()));
    assertThat(failure).hasMessage(text);
    assertThat(failure.code()).isEqualTo(code);
  }

  private static InferenceException failure(Future<Buffer> answer) {
    assertThat(answer.cause()).isInstanceOf(InferenceException.class);
    return (InferenceException) answer.cause();
  }

  private PredictResponse predict(PredictRequest request) throws InvalidProtocolBufferException {
    return PredictResponse.parseFrom(succeed("Predict", request));
  }

  private byte[] succeed(String method, Message request) {
    Future<Buffer> answer = answer(method, request);
    assertThat(answer.cause()).isNull();
    return answer.result().getBytes();
  }

  private Future<Buffer> answer(String method, Message request) {
    return answer(method, Body.of(request.toByteArray()));
  }

  private Future<Buffer> answer(String method, Body message) {
    return method(protocolHandler(TfsPredictionServiceHandlerTest::copyOfX), method)
        .answer(call, message);
  }

  private static GrpcMethod method(TfsPredictionServiceHandler handler, String name) {
    return Objects.requireNonNull(handler.methods().get(name)).method();
  }

  private TfsPredictionServiceHandler protocolHandler(
      Function<InferenceRequest, List<NamedTensor>> answer) {
    var data = new AnsweringDataPlane(_ -> new ModelLookup.Found(model.acquire()), answer);
    return new TfsPredictionServiceHandler(data, PredictSettings.DEFAULT);
  }

  /** The model: y is the first input. */
  private static List<NamedTensor> copyOfX(InferenceRequest request) {
    Tensor x = request.inputs().getFirst().tensor();
    if (!x.type().isFixedSize()) {
      return List.of();
    }
    Tensor y = Tensor.allocate(x.type(), x.shape());
    y.data().copyFrom(x.data());
    return List.of(new NamedTensor("y", y));
  }

  private static PredictRequest.Builder request() {
    return PredictRequest.newBuilder()
        .setModelSpec(ModelSpec.newBuilder().setName("m"))
        .putInputs("x", FLOATS);
  }

  private static ModelSpec signature(String name) {
    return ModelSpec.newBuilder().setName("m").setSignatureName(name).build();
  }

  private static FakeModelLease lease(boolean shapesBind) {
    List<TensorSpec> all = new ArrayList<>();
    for (WireType type : WireType.values()) {
      all.add(new TensorSpec(type.text(), type.type(), Shape.UNKNOWN));
    }
    Map<String, Signature> signatures = new LinkedHashMap<>();
    for (Signature signature :
        List.of(
            new Signature(
                Signature.DEFAULT, "tensorflow/serving/predict", List.of(X, COUNT), List.of(Y, Z)),
            new Signature("strict", "", List.of(X), List.of(Y)),
            new Signature("all", "", all, List.of(Y)))) {
      signatures.put(signature.name(), signature);
    }
    return new FakeModelLease(
        new ModelId("m", 3), new ModelMetadata("tensorflow_savedmodel", signatures, shapesBind, 0));
  }
}
