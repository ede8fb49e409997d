package dev.sluice.conformance.grps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.sluice.protocol.grps.grpc.proto.DataType;
import dev.sluice.protocol.grps.grpc.proto.GenericMapData;
import dev.sluice.protocol.grps.grpc.proto.GenericTensor;
import dev.sluice.protocol.grps.grpc.proto.GenericTensorData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.protocol.grps.grpc.proto.GrpsServiceGrpc;
import dev.sluice.protocol.grps.grpc.proto.Status.StatusFlag;
import dev.sluice.testing.RunningServer;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The gRPC door as a stub made by the usual generator sees it. */
class GrpsGrpcIT {
  private static RunningServer server;
  private static ManagedChannel channel;
  private static GrpsServiceGrpc.GrpsServiceBlockingStub stub;

  @BeforeAll
  static void start() {
    server = RunningServer.start(Path.of("src/sample/models"));
    channel = NettyChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
    stub = GrpsServiceGrpc.newBlockingStub(channel);
  }

  @AfterAll
  static void stop() {
    channel.shutdownNow();
    server.close();
  }

  @Test
  void readinessIsTheOnlineFlagAndItsCodeIsInTheMessage() {
    GrpsMessage empty = GrpsMessage.getDefaultInstance();
    assertThat(stub.checkLiveness(empty).getStatus().getCode()).isEqualTo(200);
    assertThat(stub.online(empty).getStatus().getStatus()).isEqualTo(StatusFlag.SUCCESS);
    assertThat(stub.checkReadiness(empty).getStatus().getCode()).isEqualTo(200);
    assertThat(stub.offline(empty).getStatus().getCode()).isEqualTo(200);
    assertThat(stub.checkReadiness(empty).getStatus().getCode()).isEqualTo(503);
    assertThat(stub.checkReadiness(empty).getStatus().getStatus()).isEqualTo(StatusFlag.FAILURE);
  }

  @Test
  void metadataIsYamlText() {
    assertThat(stub.serverMetadata(GrpsMessage.getDefaultInstance()).getStrData())
        .contains("name: digits");
    assertThat(stub.modelMetadata(text("", "digits")).getStrData()).contains("DT_FLOAT32");
    assertThat(stub.modelMetadata(text("", "nope")).getStatus().getCode()).isEqualTo(404);
    assertThat(stub.modelMetadata(GrpsMessage.getDefaultInstance()).getStatus().getCode())
        .isEqualTo(400);
  }

  @Test
  void textIsAnsweredWithText() {
    GrpsMessage answer = stub.predict(text("language-1.0.0", "where is the station"));
    assertThat(answer.getStatus().getCode()).isEqualTo(200);
    assertThat(answer.getStatus().getMsg()).isEqualTo("OK");
    assertThat(answer.getStrData()).isEqualTo("English");
  }

  @Test
  void namedTensorsComeInAnyOrder() {
    Iterable<Integer> ones = IntStream.range(0, 16).mapToObj(_ -> -1).toList();
    Iterable<Integer> numbers = IntStream.range(0, 16).boxed().toList();
    GrpsMessage answer =
        stub.predict(
            tensors(
                "addsub",
                addsubInput("INPUT1").addAllFlatInt32(ones).build(),
                addsubInput("INPUT0").addAllFlatInt32(numbers).build()));
    assertThat(answer.getGtensors().getTensorsList())
        .extracting(GenericTensor::getName)
        .containsExactly("OUTPUT0", "OUTPUT1");
    GenericTensor sum = answer.getGtensors().getTensors(0);
    assertThat(sum.getDtype()).isEqualTo(DataType.DT_INT32);
    assertThat(sum.getShapeList()).containsExactly(1, 16);
    assertThat(sum.getFlatInt32List())
        .containsExactlyElementsOf(IntStream.range(-1, 15).boxed().toList());
  }

  private static GenericTensor.Builder addsubInput(String name) {
    return GenericTensor.newBuilder()
        .setName(name)
        .setDtype(DataType.DT_INT32)
        .addShape(1)
        .addShape(16);
  }

  @Test
  void aLargeTensorThatLandsInNativeMemoryIsAnsweredAsASmallOne() {
    List<Float> numbers = IntStream.range(0, 50_000).mapToObj(i -> (float) i).toList();
    for (int i = 0; i < 3; i++) {
      GenericTensor tensor =
          GenericTensor.newBuilder()
              .setName("x")
              .setDtype(DataType.DT_FLOAT32)
              .addShape(numbers.size())
              .addAllFlatFloat32(numbers)
              .build();
      GenericTensor answer =
          stub.predict(tensors("half_plus_two", tensor)).getGtensors().getTensors(0);
      assertThat(answer.getFlatFloat32List())
          .containsExactlyElementsOf(numbers.stream().map(each -> each / 2 + 2).toList());
    }
  }

  @Test
  void floatsAndTextReachTheModelAndComeBack() {
    var map = GenericMapData.newBuilder();
    map.putSI32("bool", 1).putSI32("uint8", 255).putSI32("uint16", 65535).putSI32("int8", -128);
    map.putSI32("int16", -5).putSI32("int32", 0).putSI64("uint32", 4294967295L);
    map.putSI64("uint64", 8).putSI64("int64", Long.MIN_VALUE);
    map.putSF("fp16", 0.5f).putSF("bf16", 1.5f).putSF("fp32", 0.1f).putSD("fp64", 0.1);
    map.putSB("bytes", ByteString.copyFrom(new byte[] {(byte) 0xFF, 0}));
    GenericMapData answer =
        stub.predict(GrpsMessage.newBuilder().setModel("types").setGmap(map).build()).getGmap();
    assertThat(answer.getSI32Map())
        .containsEntry("uint16_out", 65535)
        .containsEntry("int8_out", -128);
    assertThat(answer.getSI64Map()).containsEntry("int64_out", Long.MIN_VALUE);
    assertThat(answer.getSFMap()).containsEntry("fp32_out", 0.1f);
    assertThat(answer.getSDMap()).containsEntry("fp64_out", 0.1);
    assertThat(answer.getSBOrThrow("bytes_out").toByteArray()).containsExactly(0xFF, 0);
  }

  @Test
  void aFailureIsAnAnswerWithACode() {
    assertThat(stub.predict(text("nope", "a")).getStatus().getMsg())
        .contains("Not found model: nope");
    assertThat(stub.predict(text("nope", "a")).getStatus().getCode()).isEqualTo(500);
    GrpsMessage answer = stub.predict(text("digits", "seven"));
    assertThat(answer.getStatus().getCode()).isEqualTo(400);
    assertThat(answer.getStatus().getStatus()).isEqualTo(StatusFlag.FAILURE);
  }

  @Test
  void bytesThatAreNoMessageEndTheCall() {
    assertThatThrownBy(() ->
            ClientCalls.blockingUnaryCall(
                channel, rawPredict(), CallOptions.DEFAULT, new byte[] {0x2A, 0x7F}))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT));
  }

  private static MethodDescriptor<byte[], byte[]> rawPredict() {
    var bytes = new RawBytes();
    return MethodDescriptor.newBuilder(bytes, bytes)
        .setType(MethodDescriptor.MethodType.UNARY)
        .setFullMethodName("grps.protos.v1.GrpsService/Predict")
        .build();
  }

  private static final class RawBytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (java.io.IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }
  }

  private static GrpsMessage text(String model, String text) {
    return GrpsMessage.newBuilder().setModel(model).setStrData(text).build();
  }

  private static GrpsMessage tensors(String model, GenericTensor... tensors) {
    var data = GenericTensorData.newBuilder();
    for (GenericTensor tensor : tensors) {
      data.addTensors(tensor);
    }
    return GrpsMessage.newBuilder().setModel(model).setGtensors(data).build();
  }
}
