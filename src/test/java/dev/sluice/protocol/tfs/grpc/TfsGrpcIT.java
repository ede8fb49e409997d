package dev.sluice.protocol.tfs.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sluice.protocol.tfs.grpc.proto.GetModelMetadataRequest;
import dev.sluice.protocol.tfs.grpc.proto.GetModelStatusRequest;
import dev.sluice.protocol.tfs.grpc.proto.ModelServiceGrpc;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.ModelVersionStatus;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.PredictResponse;
import dev.sluice.protocol.tfs.grpc.proto.PredictionServiceGrpc;
import dev.sluice.protocol.tfs.grpc.proto.SignatureDefMap;
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
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Another library's client against a real server with the sample models. */
class TfsGrpcIT {
  /** Those that ONNX has too. */
  private static final List<WireType> TYPES =
      Arrays.stream(WireType.values()).filter(type -> type.type().isCommon()).toList();

  private static RunningServer server;
  private static ManagedChannel channel;

  @BeforeAll
  static void start() {
    server = RunningServer.start(TestModels.sample("", ""));
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
  }

  @AfterAll
  static void stop() throws InterruptedException {
    channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    server.close();
  }

  @Test
  void everyTypeComesBackAsItWent() {
    var random = new Random(3);
    var request = PredictRequest.newBuilder().setModelSpec(spec("types"));
    for (WireType type : TYPES) {
      request.putInputs(inputName(type), tensor(type, random));
    }
    PredictResponse response = predictions().predict(request.build());
    assertThat(response.getOutputsCount()).isEqualTo(TYPES.size());
    for (WireType type : TYPES) {
      assertThat(response.getOutputsOrThrow(inputName(type) + "_out").toByteString())
          .isEqualTo(request.getInputsOrThrow(inputName(type)).toByteString());
    }
    assertThat(response.getModelSpec().getVersion().getValue()).isEqualTo(1);
    assertThat(response.getModelSpec().getSignatureName()).isEqualTo("serving_default");
  }

  @Test
  void aModelComputesWhatIsAskedFor() {
    PredictRequest.Builder request =
        PredictRequest.newBuilder()
            .setModelSpec(spec("addsub"))
            .putInputs("INPUT0", ints(10))
            .putInputs("INPUT1", ints(3))
            .addOutputFilter("OUTPUT1");
    PredictResponse response = predictions().predict(request.build());
    assertThat(response.getOutputsMap()).containsOnlyKeys("OUTPUT1");
    assertThat(response.getOutputsOrThrow("OUTPUT1").getIntValList()).hasSize(16).containsOnly(7);
  }

  @Test
  void aLargeRequestIsAnsweredLikeASmallOne() {
    TensorProto.Builder large = ProtoTensors.header(WireType.FLOAT, 2_000_000);
    for (int i = 0; i < 2_000_000; i++) {
      large.addFloatVal(i);
    }
    PredictRequest.Builder request = typesWithOneElementEach();
    request.putInputs("fp32", large.build()).addOutputFilter("fp32_out");
    PredictResponse response =
        predictions().withMaxInboundMessageSize(16 << 20).predict(request.build());
    assertThat(response.getOutputsOrThrow("fp32_out")).isEqualTo(large.build());
  }

  @Test
  void failuresHaveTheReferencesCodesAndTexts() {
    assertFails(
        () -> predictions().predict(PredictRequest.newBuilder().setModelSpec(spec("no")).build()),
        Status.Code.NOT_FOUND,
        "Servable not found for request: Latest(no)");
    assertFails(
        () ->
            predictions().predict(PredictRequest.newBuilder().setModelSpec(spec("addsub")).build()),
        Status.Code.INVALID_ARGUMENT,
        "input size does not match signature: 0!=2 len({}) != len({INPUT0,INPUT1})."
            + " Sent extra: {}. Missing but required: {INPUT0,INPUT1}.");
    assertFails(
        () ->
            predictions()
                .predict(
                    PredictRequest.newBuilder()
                        .setModelSpec(spec("addsub"))
                        .putInputs("INPUT0", ProtoTensors.header(WireType.INT32, 3).build())
                        .putInputs("INPUT1", ints(3))
                        .build()),
        Status.Code.INVALID_ARGUMENT,
        "input \"INPUT0\" has shape [3], the model takes [-1,16]");
  }

  @Test
  void metadataAndStatusAreReported() throws InvalidProtocolBufferException {
    var request =
        GetModelMetadataRequest.newBuilder()
            .setModelSpec(spec("addsub"))
            .addMetadataField("signature_def")
            .build();
    var any = predictions().getModelMetadata(request).getMetadataOrThrow("signature_def");
    var signature = any.unpack(SignatureDefMap.class).getSignatureDefOrThrow("serving_default");
    assertThat(signature.getInputsOrThrow("INPUT0").getDtypeValue())
        .isEqualTo(WireType.INT32.number());
    var status =
        ModelServiceGrpc.newBlockingStub(channel)
            .getModelStatus(
                GetModelStatusRequest.newBuilder().setModelSpec(spec("addsub")).build());
    assertThat(status.getModelVersionStatusList())
        .extracting(ModelVersionStatus::getState)
        .containsExactly(ModelVersionStatus.State.AVAILABLE);
  }

  private static PredictRequest.Builder typesWithOneElementEach() {
    var request = PredictRequest.newBuilder().setModelSpec(spec("types"));
    for (WireType type : TYPES) {
      request.putInputs(inputName(type), ProtoTensors.header(type, 1).build());
    }
    return request;
  }

  private static TensorProto tensor(WireType type, Random random) {
    TensorProto.Builder proto = ProtoTensors.header(type, 5);
    if (type == WireType.STRING) {
      ProtoTensors.addStrings(
          proto, new byte[][] {"é".getBytes(StandardCharsets.UTF_8), {}, {65}, {66}, {67}});
    } else {
      byte[] memory = ProtoTensors.randomNumbers(type, Shape.of(5), random);
      ProtoTensors.addNumbers(proto, type, memory);
    }
    return proto.build();
  }

  private static TensorProto ints(int value) {
    return ProtoTensors.header(WireType.INT32, 1, 16).addIntVal(value).build();
  }

  /** The model's names are those of the tensors' types. */
  private static String inputName(WireType type) {
    return type.type().name().toLowerCase(Locale.ROOT);
  }

  private static ModelSpec spec(String model) {
    return ModelSpec.newBuilder().setName(model).build();
  }

  private static PredictionServiceGrpc.PredictionServiceBlockingStub predictions() {
    return PredictionServiceGrpc.newBlockingStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);
  }

  private static void assertFails(Runnable call, Status.Code code, String text) {
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(call::run)
        .satisfies(e -> {
          assertThat(e.getStatus().getCode()).isEqualTo(code);
          assertThat(e.getStatus().getDescription()).isEqualTo(text);
        });
  }
}
