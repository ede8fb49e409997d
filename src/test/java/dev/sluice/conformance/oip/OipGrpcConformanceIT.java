package dev.sluice.conformance.oip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import dev.sluice.config.compat.triton.proto.DataType;
import dev.sluice.config.compat.triton.proto.ModelConfig;
import dev.sluice.protocol.oip.grpc.proto.CudaSharedMemoryStatusRequest;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub;
import dev.sluice.protocol.oip.grpc.proto.InferParameter;
import dev.sluice.protocol.oip.grpc.proto.InferTensorContents;
import dev.sluice.protocol.oip.grpc.proto.ModelConfigRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest.InferInputTensor;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest.InferRequestedOutputTensor;
import dev.sluice.protocol.oip.grpc.proto.ModelInferResponse;
import dev.sluice.protocol.oip.grpc.proto.ModelMetadataRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelMetadataResponse;
import dev.sluice.protocol.oip.grpc.proto.ModelReadyRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelStreamInferResponse;
import dev.sluice.protocol.oip.grpc.proto.RepositoryIndexRequest;
import dev.sluice.protocol.oip.grpc.proto.RepositoryIndexResponse.ModelIndex;
import dev.sluice.protocol.oip.grpc.proto.ServerLiveRequest;
import dev.sluice.protocol.oip.grpc.proto.ServerMetadataRequest;
import dev.sluice.protocol.oip.grpc.proto.ServerReadyRequest;
import dev.sluice.testing.RunningServer;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The protocol's gRPC service, asked by another library's client. */
class OipGrpcConformanceIT {
  private static final List<Integer> FIRST = IntStream.range(0, 16).boxed().toList();
  private static final List<Integer> ONES = IntStream.range(0, 16).map(_ -> 1).boxed().toList();
  private static final ByteString SUM = ints(IntStream.range(1, 17));
  private static final ByteString DIFFERENCE = ints(IntStream.range(-1, 15));

  private static RunningServer server;
  private static ManagedChannel channel;
  private static GRPCInferenceServiceBlockingStub client;

  @BeforeAll
  static void start() {
    server = RunningServer.start(Path.of("src/test/models/oip"));
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
    client = GRPCInferenceServiceGrpc.newBlockingStub(channel);
  }

  @AfterAll
  static void stop() {
    channel.shutdownNow();
    server.close();
  }

  @Test
  void serverIsLiveAndReady() {
    assertThat(client.serverLive(ServerLiveRequest.getDefaultInstance()).getLive()).isTrue();
    assertThat(client.serverReady(ServerReadyRequest.getDefaultInstance()).getReady()).isTrue();
  }

  @Test
  void modelIsReadyWithAndWithoutVersion() {
    assertThat(client.modelReady(ready("addsub", "")).getReady()).isTrue();
    assertThat(client.modelReady(ready("two", "3")).getReady()).isTrue();
  }

  @Test
  void whatIsNotThereIsNotReady() {
    assertThat(client.modelReady(ready("nope", "")).getReady()).isFalse();
    assertThat(client.modelReady(ready("two", "2")).getReady()).isFalse();
  }

  private static ModelReadyRequest ready(String name, String version) {
    return ModelReadyRequest.newBuilder().setName(name).setVersion(version).build();
  }

  @Test
  void serverMetadataNamesWhatIsServed() {
    var metadata = client.serverMetadata(ServerMetadataRequest.getDefaultInstance());
    assertThat(metadata.getName()).isEqualTo("sluice");
    assertThat(metadata.getVersion()).isNotEmpty();
    assertThat(metadata.getExtensionsList()).contains("binary_tensor_data");
  }

  @Test
  void modelMetadataShowsTensorsAndReadyVersions() {
    ModelMetadataResponse metadata = client.modelMetadata(metadata("two", ""));
    assertThat(metadata.getVersionsList()).containsExactly("1", "3");
    assertThat(metadata.getPlatform()).isEqualTo("onnxruntime_onnx");
    assertThat(metadata.getInputs(0).getName()).isEqualTo("INPUT0");
    assertThat(metadata.getInputs(0).getDatatype()).isEqualTo("INT32");
    assertThat(metadata.getInputs(0).getShapeList()).containsExactly(-1L, 16L);
  }

  @Test
  void versionThatIsNoNumberIsInvalid() {
    assertFails(
        Status.Code.INVALID_ARGUMENT,
        "failed to get model version from specified version string 'x'",
        () -> client.modelMetadata(metadata("addsub", "x")));
    assertFails(
        Status.Code.INVALID_ARGUMENT,
        "invalid model version specified",
        () -> client.modelMetadata(metadata("addsub", "-3")));
  }

  private static ModelMetadataRequest metadata(String name, String version) {
    return ModelMetadataRequest.newBuilder().setName(name).setVersion(version).build();
  }

  @Test
  void configShowsItemsWithoutTheBatch() {
    ModelConfig config =
        client.modelConfig(ModelConfigRequest.newBuilder().setName("addsub").build()).getConfig();
    assertThat(config.getMaxBatchSize()).isEqualTo(8);
    assertThat(config.getInput(0).getDataType()).isEqualTo(DataType.TYPE_INT32);
    assertThat(config.getInput(0).getDimsList()).containsExactly(16L);
  }

  @Test
  void indexListsEveryVersion() {
    var index = client.repositoryIndex(RepositoryIndexRequest.getDefaultInstance());
    ModelIndex third =
        ModelIndex.newBuilder().setName("two").setVersion("3").setState("READY").build();
    assertThat(index.getModelsList()).contains(third);
  }

  @Test
  void typedContentsAreAnsweredRaw() {
    ModelInferResponse answer = client.modelInfer(addsub(typed()).setId("q").build());
    assertThat(answer.getModelName()).isEqualTo("addsub");
    assertThat(answer.getModelVersion()).isEqualTo("1");
    assertThat(answer.getId()).isEqualTo("q");
    assertThat(answer.getOutputs(0).getShapeList()).containsExactly(1L, 16L);
    assertThat(answer.getOutputs(0).hasContents()).isFalse();
    assertThat(answer.getRawOutputContentsList()).containsExactly(SUM, DIFFERENCE);
  }

  @Test
  void rawContentsGiveTheSame() {
    ModelInferResponse answer = client.modelInfer(raw().build());
    assertThat(answer.getRawOutputContentsList()).containsExactly(SUM, DIFFERENCE);
  }

  @Test
  void outputsComeInTheOrderAskedFor() {
    ModelInferResponse answer =
        client.modelInfer(
            raw().addOutputs(output("OUTPUT1")).addOutputs(output("OUTPUT0")).build());
    assertThat(answer.getOutputs(0).getName()).isEqualTo("OUTPUT1");
    assertThat(answer.getRawOutputContentsList()).containsExactly(DIFFERENCE, SUM);
    ModelInferRequest.Builder twice =
        raw().addOutputs(output("OUTPUT1")).addOutputs(output("OUTPUT1"));
    assertRefused("output 'OUTPUT1' already exists in request", twice);
  }

  @Test
  void rawContentsMustBeOnePerInput() {
    ModelInferRequest.Builder few = raw();
    few.clearRawInputContents().addRawInputContents(ints(FIRST));
    assertRefused("unable to find data for input tensor 'INPUT1' for model 'addsub'", few);
    assertRefused(
        "the number of inputs (2) does not match the expected number of raw input contents (3)",
        raw().addRawInputContents(ByteString.EMPTY));
  }

  @Test
  void rawAndTypedContentsDoNotMix() {
    assertRefused(
        "contents field must not be specified when using raw_input_contents for 'INPUT0'",
        addsub(typed()).addRawInputContents(SUM).addRawInputContents(SUM));
  }

  @Test
  void typedContentsMustBeOfTheInputsType() {
    InferTensorContents floats = InferTensorContents.newBuilder().addFp32Contents(1).build();
    assertRefused(
        "unexpected explicit tensor data for input tensor 'INPUT0' for model 'addsub' of type"
            + " 'INT32', expected datatype 'FP32'",
        addsub(List.of(floats, contents(ONES))));
    InferTensorContents both = contents(FIRST).toBuilder().addInt64Contents(1).build();
    assertRefused("binary data was already supplied.", addsub(List.of(both, contents(ONES))));
  }

  @Test
  void elementsMustBeAsManyAsTheShapeSays() {
    InferTensorContents few = contents(FIRST.subList(0, 15));
    assertRefused("Expected 64, got 60", addsub(List.of(few, contents(ONES))));
    ModelInferRequest.Builder many = raw();
    many.setRawInputContents(0, ints(FIRST).concat(ByteString.copyFromUtf8("1234")));
    assertRefused(
        "input byte size mismatch for input 'INPUT0' for model 'addsub'. Expected 64, got 68",
        many);
  }

  @Test
  void wrongTypeIsRefusedInTritonsWords() {
    ModelInferRequest.Builder request = raw();
    request.setInputs(0, input("INPUT0", "INT64", 1, 16));
    assertRefused(
        "inference input 'INPUT0' data-type is 'INT64', but model 'addsub' expects 'INT32'",
        request);
  }

  @Test
  void unknownModelAndVersionAreNotFound() {
    assertFails(
        Status.Code.NOT_FOUND,
        "version 99 is not found",
        () -> client.modelInfer(raw().setModelVersion("99").build()));
    assertFails(
        Status.Code.NOT_FOUND,
        "Request for unknown model: 'nope' is not found",
        () -> client.modelInfer(raw().setModelName("nope").build()));
  }

  @Test
  void parametersAreChecked() {
    assertRefused(
        "invalid value for 'priority', expected value >= 0.",
        parameter("priority", InferParameter.newBuilder().setInt64Param(-1)));
    assertRefused(
        "invalid value type for 'sequence_start' parameter, expected bool_param.",
        parameter("sequence_start", InferParameter.newBuilder().setInt64Param(1)));
    assertRefused(
        "invalid value type for 'sequence_id' parameter, expected int64_param or string_param.",
        parameter("sequence_id", InferParameter.newBuilder().setBoolParam(true)));
    assertRefused(
        "invalid value for 'sequence_id', expected value >= 0. Got -1",
        parameter("sequence_id", InferParameter.newBuilder().setInt64Param(-1)));
    assertRefused(
        "parameter keys starting with 'triton_'",
        parameter("triton_x", InferParameter.newBuilder().setBoolParam(true)));
    assertRefused(
        "parameter 'free' has invalid type", parameter("free", InferParameter.newBuilder()));
  }

  @Test
  void freeParametersAreTaken() {
    var parameter = parameter("free", InferParameter.newBuilder().setDoubleParam(1.5));
    ModelInferResponse answer = client.modelInfer(parameter.build());
    assertThat(answer.getRawOutputContentsList()).containsExactly(SUM, DIFFERENCE);
  }

  private static ModelInferRequest.Builder parameter(String name, InferParameter.Builder value) {
    return raw().putParameters(name, value.build());
  }

  @Test
  void bytesNeedNotBeText() {
    ByteString octets = ByteString.copyFrom(new byte[] {(byte) 0xFF, 0, (byte) 0xC0});
    var contents = InferTensorContents.newBuilder().addBytesContents(octets).build();
    ModelInferResponse answer =
        client.modelInfer(
            ModelInferRequest.newBuilder()
                .setModelName("idb")
                .addInputs(input("INPUT0", "BYTES", 1, 1).toBuilder().setContents(contents))
                .build());
    ByteString length = ByteString.copyFrom(new byte[] {3, 0, 0, 0});
    assertThat(answer.getRawOutputContents(0)).isEqualTo(length.concat(octets));
  }

  @Test
  void sequenceCarriesItsStateOn() {
    assertThat(client.modelInfer(step(5, "sequence_start")).getRawOutputContents(0))
        .isEqualTo(ByteString.copyFrom(new byte[] {5, 0, 0, 0}));
    ModelInferResponse last = client.modelInfer(step(7, "sequence_end"));
    assertThat(last.getRawOutputContents(0))
        .isEqualTo(ByteString.copyFrom(new byte[] {12, 0, 0, 0}));
    assertThat(last.getParametersOrThrow("sequence_id").getInt64Param()).isEqualTo(99);
    assertThat(last.getParametersOrThrow("sequence_end").getBoolParam()).isTrue();
    assertFails(
        Status.Code.INVALID_ARGUMENT,
        "must specify the START flag on the first request of the sequence",
        () -> client.modelInfer(step(1, "sequence_end")));
  }

  private static ModelInferRequest step(int value, String flag) {
    var contents = InferTensorContents.newBuilder().addIntContents(value);
    return ModelInferRequest.newBuilder()
        .setModelName("seq")
        .addInputs(input("INPUT", "INT32", 1, 1).toBuilder().setContents(contents))
        .putParameters("sequence_id", InferParameter.newBuilder().setInt64Param(99).build())
        .putParameters(flag, InferParameter.newBuilder().setBoolParam(true).build())
        .build();
  }

  @Test
  void bestElementsAreShownWithTheirLabels() {
    ModelInferResponse answer = client.modelInfer(classes(2).build());
    assertThat(answer.getOutputs(0).getDatatype()).isEqualTo("BYTES");
    assertThat(answer.getOutputs(0).getShapeList()).containsExactly(1L, 2L);
    ByteString length = ByteString.copyFrom(new byte[] {13, 0, 0, 0});
    assertThat(answer.getRawOutputContents(0))
        .isEqualTo(
            length
                .concat(ByteString.copyFromUtf8("9.000000:9:l9"))
                .concat(length)
                .concat(ByteString.copyFromUtf8("8.000000:8:l8")));
    assertRefused("invalid value for 'classification' parameter", classes(0));
    ModelInferRequest.Builder text = classes(1);
    text.getOutputsBuilder(0)
        .putParameters("classification", InferParameter.newBuilder().setStringParam("1").build());
    assertRefused("invalid value type for 'classification' parameter, expected int64_param.", text);
  }

  @Test
  void bestElementsAreShownInStreamsToo() throws Exception {
    ModelInferResponse unary = client.modelInfer(classes(2).build());
    ModelInferResponse streamed = stream(classes(2)).getFirst().getInferResponse();
    assertThat(streamed.getOutputsList()).isEqualTo(unary.getOutputsList());
    assertThat(streamed.getRawOutputContentsList()).isEqualTo(unary.getRawOutputContentsList());
  }

  @Test
  void aWrongRequestOfAStreamIsAnsweredAndTheNextOneGoesOn() throws Exception {
    ModelInferRequest.Builder type = raw();
    type.getInputsBuilder(0).setDatatype("NOPE");
    ModelInferRequest.Builder negative = raw();
    negative.getInputsBuilder(0).setShape(0, -1);
    List<ModelStreamInferResponse> answers =
        stream(
            type.setId("1"),
            raw().setId("2"),
            negative.setId("3"),
            classes(0).setId("4"),
            raw().setId("5").putParameters("timeout", text("soon")),
            raw().setId("6").putParameters("triton_other", text("x")),
            raw().setId("7"));
    assertThat(answers)
        .extracting(ModelStreamInferResponse::getErrorMessage)
        .satisfiesExactly(
            first -> assertThat(first).contains("invalid datatype for input INPUT0: got 'NOPE'"),
            second -> assertThat(second).isEmpty(),
            third -> assertThat(third).contains("is -1, wanted a size that is not negative"),
            fourth -> assertThat(fourth).contains("'classification' parameter, expected > 0"),
            fifth -> assertThat(fifth).contains("invalid value type for 'timeout' parameter"),
            sixth -> assertThat(sixth).contains("'triton_' are reserved"),
            seventh -> assertThat(seventh).isEmpty());
    assertThat(answers)
        .extracting(answer -> answer.getInferResponse().getId())
        .containsExactly("1", "2", "3", "4", "5", "6", "7");
    assertThat(answers.getLast().getInferResponse().getRawOutputContentsList())
        .containsExactly(SUM, DIFFERENCE);
  }

  @Test
  void aRequestOfNoRowsIsAnsweredInAStreamToo() throws Exception {
    ModelInferRequest.Builder none =
        ModelInferRequest.newBuilder()
            .setModelName("addsub")
            .addInputs(input("INPUT0", "INT32", 0, 16))
            .addInputs(input("INPUT1", "INT32", 0, 16))
            .addRawInputContents(ByteString.EMPTY)
            .addRawInputContents(ByteString.EMPTY);
    ModelInferResponse unary = client.modelInfer(none.build());
    List<ModelStreamInferResponse> streamed = stream(none);
    assertThat(streamed).hasSize(1);
    assertThat(streamed.getFirst().getInferResponse().getOutputsList())
        .isEqualTo(unary.getOutputsList());
  }

  /** All answers of a stream of these requests. */
  private static List<ModelStreamInferResponse> stream(ModelInferRequest.Builder... requests)
      throws Exception {
    List<ModelStreamInferResponse> answers = new ArrayList<>();
    var all = new CompletableFuture<List<ModelStreamInferResponse>>();
    StreamObserver<ModelInferRequest> call =
        GRPCInferenceServiceGrpc.newStub(channel)
            .modelStreamInfer(
                new StreamObserver<>() {
                  @Override
                  public void onNext(ModelStreamInferResponse message) {
                    answers.add(message);
                  }

                  @Override
                  public void onError(Throwable failure) {
                    all.completeExceptionally(failure);
                  }

                  @Override
                  public void onCompleted() {
                    all.complete(answers);
                  }
                });
    for (ModelInferRequest.Builder request : requests) {
      call.onNext(request.build());
    }
    call.onCompleted();
    return all.get(20, TimeUnit.SECONDS);
  }

  private static InferParameter text(String value) {
    return InferParameter.newBuilder().setStringParam(value).build();
  }

  private static ModelInferRequest.Builder classes(int most) {
    var scores = InferTensorContents.newBuilder();
    FIRST.subList(0, 10).forEach(score -> scores.addFp32Contents(score));
    var count = InferParameter.newBuilder().setInt64Param(most).build();
    return ModelInferRequest.newBuilder()
        .setModelName("cls")
        .addInputs(input("INPUT0", "FP32", 1, 10).toBuilder().setContents(scores))
        .addOutputs(output("OUTPUT0").toBuilder().putParameters("classification", count));
  }

  @Test
  void emptyTensorHasAnEmptyRawEntry() {
    ModelInferResponse answer =
        client.modelInfer(
            ModelInferRequest.newBuilder()
                .setModelName("idf")
                .addInputs(input("INPUT0", "FP32", 1, 0))
                .addRawInputContents(ByteString.EMPTY)
                .build());
    assertThat(answer.getOutputs(0).getShapeList()).containsExactly(1L, 0L);
    assertThat(answer.getRawOutputContentsList()).containsExactly(ByteString.EMPTY);
  }

  @Test
  void callThatIsNotServedIsUnimplemented() {
    assertFails(
        Status.Code.UNIMPLEMENTED,
        "",
        () -> client.cudaSharedMemoryStatus(CudaSharedMemoryStatusRequest.getDefaultInstance()));
  }

  private static ModelInferRequest.Builder raw() {
    return ModelInferRequest.newBuilder()
        .setModelName("addsub")
        .addInputs(input("INPUT0", "INT32", 1, 16))
        .addInputs(input("INPUT1", "INT32", 1, 16))
        .addRawInputContents(ints(FIRST))
        .addRawInputContents(ints(ONES));
  }

  private static List<InferTensorContents> typed() {
    return List.of(contents(FIRST), contents(ONES));
  }

  private static InferTensorContents contents(List<Integer> values) {
    return InferTensorContents.newBuilder().addAllIntContents(values).build();
  }

  private static ModelInferRequest.Builder addsub(List<InferTensorContents> contents) {
    return ModelInferRequest.newBuilder()
        .setModelName("addsub")
        .addInputs(input("INPUT0", "INT32", 1, 16).toBuilder().setContents(contents.get(0)))
        .addInputs(input("INPUT1", "INT32", 1, 16).toBuilder().setContents(contents.get(1)));
  }

  private static InferInputTensor input(String name, String datatype, long... shape) {
    var input = InferInputTensor.newBuilder().setName(name).setDatatype(datatype);
    for (long size : shape) {
      input.addShape(size);
    }
    return input.build();
  }

  private static InferRequestedOutputTensor output(String name) {
    return InferRequestedOutputTensor.newBuilder().setName(name).build();
  }

  private static ByteString ints(List<Integer> values) {
    return ints(values.stream().mapToInt(Integer::intValue));
  }

  private static ByteString ints(IntStream values) {
    ByteBuffer bytes = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
    values.forEach(bytes::putInt);
    return ByteString.copyFrom(bytes.flip());
  }

  private static void assertRefused(String text, ModelInferRequest.Builder request) {
    assertFails(Status.Code.INVALID_ARGUMENT, text, () -> client.modelInfer(request.build()));
  }

  private static void assertFails(Status.Code code, String text, ThrowingCallable call) {
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(call)
        .withMessageContaining(text)
        .extracting(failure -> failure.getStatus().getCode())
        .isEqualTo(code);
  }
}
