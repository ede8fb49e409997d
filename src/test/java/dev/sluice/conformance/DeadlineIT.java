package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.binding.SettingOverride;
import dev.sluice.protocol.grps.grpc.proto.GenericTensor;
import dev.sluice.protocol.grps.grpc.proto.GenericTensorData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelStatisticsRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelStreamInferResponse;
import dev.sluice.protocol.tfs.grpc.proto.ClassificationRequest;
import dev.sluice.protocol.tfs.grpc.proto.DataType;
import dev.sluice.protocol.tfs.grpc.proto.Example;
import dev.sluice.protocol.tfs.grpc.proto.ExampleList;
import dev.sluice.protocol.tfs.grpc.proto.Feature;
import dev.sluice.protocol.tfs.grpc.proto.Features;
import dev.sluice.protocol.tfs.grpc.proto.FloatList;
import dev.sluice.protocol.tfs.grpc.proto.Input;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.RegressionRequest;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.proto.TensorShapeProto;
import dev.sluice.testing.BrpcClient;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.LoopModel;
import dev.sluice.testing.LoopTurns;
import dev.sluice.testing.RawCalls;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.StepsCaller;
import dev.sluice.testing.TestModels;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * TensorFlow models whose runs take seconds, which nothing can stop, and callers who wait for less.
 * Each test has a model of its own, whose run is still under way when it ends.
 */
class DeadlineIT {
  private static final Duration LONG = Duration.ofSeconds(2);
  private static final String TIMEOUT = "300ms";

  @TempDir private static Path models;
  private static RunningServer server;
  private static HttpCaller caller;
  private static ManagedChannel channel;
  private static int made;
  private static long steps;
  private static int classified;

  @BeforeAll
  static void open() throws IOException {
    for (int i = 0; i < 15; i++) {
      LoopModel.write(models, "loop" + i);
      Files.writeString(models.resolve("loop" + i + "/model.yml"), "concurrency: 1\n");
    }
    for (int i = 0; i < 8; i++) {
      LoopModel.writeExamples(models, "examples" + i);
    }
    Files.createDirectories(models.resolve("chain/1"));
    Files.writeString(
        models.resolve("chain/model.yml"),
        """
        ensemble:
          steps:
            - { model: loop14, inputs: { steps: steps }, outputs: { done: done } }
        """);
    TestModels.copy(TestModels.sample("half_plus_two", "1"), models.resolve("half_plus_two/1"));
    LoopModel.writeRow(models, "measured");
    server = RunningServer.start(models);
    try (var measuring = new StepsCaller(server.port(), server.port())) {
      steps = LoopTurns.lasting(LONG, measuring, "measured");
    }
    caller = new HttpCaller(server.port());
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
  }

  /** The server waits for the runs, and frees what they have used. */
  @AfterAll
  static void nothingIsLeftOpen() {
    channel.shutdownNow();
    caller.close();
    server.close();
  }

  private static String nextModel() {
    return "loop" + made++;
  }

  private static long runs(String model) {
    return GRPCInferenceServiceGrpc.newBlockingStub(channel)
        .modelStatistics(ModelStatisticsRequest.newBuilder().setName(model).build())
        .getModelStats(0)
        .getExecutionCount();
  }

  private static void requireStillRunning(String model) {
    assertThat(runs(model)).as("runs of " + model + " that have ended").isZero();
    assertThat(post("/v1/models/half_plus_two:predict", "{\"instances\":[2]}", "").text())
        .contains("3.0");
  }

  private static Answer post(String path, String body, String timeout) {
    return caller.send("POST", path, headers(timeout), Buffer.buffer(body));
  }

  private static String v2(String parameters) {
    return """
    {%s"inputs":[{"name":"steps","datatype":"INT64","shape":[],"data":[%d]}]}\
    """
        .formatted(parameters, steps);
  }

  static Stream<Arguments> endpoints() {
    return Stream.of(
        Arguments.of(
            "/v1/models/%s:predict", "{\"inputs\":{\"steps\":" + steps + "}}", TIMEOUT, 504),
        Arguments.of("/v2/models/%s/infer", v2(""), TIMEOUT, 504),
        Arguments.of("/v2/models/%s/infer", v2("\"parameters\":{\"timeout\":300000},"), "", 504),
        Arguments.of(
            "/grps/v1/infer/predict",
            "{\"model\":\"%s\",\"gtensors\":{\"tensors\":[{\"name\":\"steps\",\"dtype\":\"DT_INT64\",\"shape\":[],"
                + "\"flat_int64\":["
                + steps
                + "]}]}}",
            TIMEOUT,
            504));
  }

  private static MultiMap headers(String timeout) {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap();
    headers.add("Content-Type", "application/json");
    if (!timeout.isEmpty()) {
      headers.add("Request-Timeout", timeout);
    }
    return headers;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          /v1/models/half_plus_two          | {"error":
          /v1/models/half_plus_two:predict  | {"error":
          /v2/models/half_plus_two/infer    | {"error":
          /grps/v1/infer/predict            | {"status":{"code":400,"msg":
          /grps/v1/metadata/model           | {"status":{"code":400,"msg":
          """)
  void timeThatCannotBeReadIsRefusedInTheFormOfTheProtocol(String path, String begin) {
    String method = path.endsWith("two") ? "GET" : "POST";
    Answer answer = caller.send(method, path, headers("soon"), Buffer.buffer());
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.text())
        .startsWith(begin)
        .contains("Request-Timeout 'soon' is not a length of time; wanted seconds, or a unit");
  }

  @ParameterizedTest
  @MethodSource("endpoints")
  void callerIsAnsweredAtTheDeadlineOfARunThatCannotBeStopped(
      String path, String body, String timeout, int status) {
    String model = nextModel();
    Answer answer = post(path.formatted(model), body.replace("%s", model), timeout);
    assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    assertThat(answer.text()).contains("Request timeout expired after ");
    requireStillRunning(model);
  }

  static Stream<Arguments> examples() {
    return Stream.of("classify", "regress")
        .flatMap(verb ->
            Stream.of(
                    "Request-Timeout: 300ms",
                    "x-envoy-expected-rq-timeout-ms: 300",
                    "x-envoy-upstream-rq-timeout-ms: 300")
                .map(header -> Arguments.of(verb, header)));
  }

  @ParameterizedTest(name = "{0}, {1}")
  @MethodSource("examples")
  void classifyAndRegressAreAnsweredAtTheDeadlineOfARunThatCannotBeStopped(
      String verb, String header) {
    String model = "examples" + classified++;
    String[] parts = header.split(": ", 2);
    MultiMap headers = headers("").add(parts[0], parts[1]);
    String body = "{\"signature_name\":\"%s\",\"examples\":[{\"x\":1.0}]}".formatted(verb);
    Answer answer =
        caller.send("POST", "/v1/models/" + model + ":" + verb, headers, Buffer.buffer(body));
    assertThat(answer.status()).as(answer.text()).isEqualTo(504);
    assertThat(answer.text()).contains("Request timeout expired after ");
    requireStillRunning(model);
  }

  private static Message classification(String model) {
    return ClassificationRequest.newBuilder()
        .setModelSpec(ModelSpec.newBuilder().setName(model).setSignatureName("classify"))
        .setInput(input())
        .build();
  }

  private static Message regression(String model) {
    return RegressionRequest.newBuilder()
        .setModelSpec(ModelSpec.newBuilder().setName(model).setSignatureName("regress"))
        .setInput(input())
        .build();
  }

  private static Input input() {
    var value = Feature.newBuilder().setFloatList(FloatList.newBuilder().addValue(1));
    var features = Features.newBuilder().putFeature("x", value.build());
    return Input.newBuilder()
        .setExampleList(
            ExampleList.newBuilder().addExamples(Example.newBuilder().setFeatures(features)))
        .build();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Classify", "Regress"})
  void grpcCallWithExamplesIsAnsweredAtTheDeadlineByTheServer(String method) {
    String model = "examples" + classified++;
    Message request = method.equals("Classify") ? classification(model) : regression(model);
    var headers = new Metadata();
    headers.put(
        Metadata.Key.of("x-envoy-expected-rq-timeout-ms", Metadata.ASCII_STRING_MARSHALLER), "300");
    var patient =
        ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(headers));
    StatusRuntimeException late =
        catchThrowableOfType(
            StatusRuntimeException.class,
            () ->
                RawCalls.send(
                    patient,
                    "tensorflow.serving.PredictionService/" + method,
                    request.toByteArray()));
    assertThat(late.getStatus().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
    requireStillRunning(model);
  }

  private static ByteString raw() {
    ByteBuffer bytes = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(0, steps);
    return ByteString.copyFrom(bytes);
  }

  private static ModelInferRequest oip(String model) {
    var request = ModelInferRequest.newBuilder().setModelName(model);
    request.addInputsBuilder().setName("steps").setDatatype("INT64");
    return request.addRawInputContents(raw()).build();
  }

  private static PredictRequest tfs(String model) {
    var tensor =
        TensorProto.newBuilder()
            .setDtype(DataType.DT_INT64)
            .setTensorShape(TensorShapeProto.getDefaultInstance())
            .addInt64Val(steps);
    return PredictRequest.newBuilder()
        .setModelSpec(ModelSpec.newBuilder().setName(model))
        .putInputs("steps", tensor.build())
        .build();
  }

  private static GrpsMessage grps(String model) {
    var tensor =
        GenericTensor.newBuilder()
            .setName("steps")
            .setDtype(dev.sluice.protocol.grps.grpc.proto.DataType.DT_INT64)
            .addFlatInt64(steps);
    return GrpsMessage.newBuilder()
        .setModel(model)
        .setGtensors(GenericTensorData.newBuilder().addTensors(tensor))
        .build();
  }

  static Stream<Arguments> methods() {
    return Map.<String, Function<String, Message>>of(
            "inference.GRPCInferenceService/ModelInfer", DeadlineIT::oip,
            "tensorflow.serving.PredictionService/Predict", DeadlineIT::tfs,
            "grps.protos.v1.GrpsService/Predict", DeadlineIT::grps)
        .entrySet()
        .stream()
        .map(entry -> Arguments.of(entry.getKey(), entry.getValue()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("methods")
  void grpcCallIsAnsweredAtTheDeadlineByTheServer(
      String method, Function<String, Message> request) {
    String model = nextModel();
    var headers = new Metadata();
    headers.put(Metadata.Key.of("request-timeout", Metadata.ASCII_STRING_MARSHALLER), TIMEOUT);
    var patient =
        ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(headers));
    StatusRuntimeException late =
        catchThrowableOfType(
            StatusRuntimeException.class,
            () -> RawCalls.send(patient, method, request.apply(model).toByteArray()));
    assertThat(late.getStatus().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
    assertThat(late.getStatus().getDescription()).contains("Request timeout expired after ");
    requireStillRunning(model);
  }

  @Test
  void brpcCallIsAnsweredAtTheDeadline() throws IOException {
    String model = nextModel();
    try (var brpc = new BrpcClient(server.port())) {
      var call = new BrpcClient.Call("grps.protos.v1.GrpsBrpcService", "Predict", 1).within(300);
      BrpcClient.Answer answer = brpc.ask(call, grps(model).toByteArray());
      assertThat(answer.text() + answer.errorText()).contains("Request timeout expired after ");
    }
    requireStillRunning(model);
  }

  @Test
  void requestThatWaitsBehindARunIsAnsweredAtItsDeadlineAndLeavesItsPlace() {
    String model = nextModel();
    String path = "/v2/models/" + model + "/infer";
    assertThat(post(path, v2(""), TIMEOUT).status()).isEqualTo(504);
    Answer late = post(path, v2(""), "100ms");
    assertThat(late.status()).isEqualTo(504);
    assertThat(late.text()).contains(" in the queue");
    Answer busy = post(path, v2("\"parameters\":{\"timeout\":100000},"), "");
    assertThat(busy.status()).isEqualTo(503);
    requireStillRunning(model);
    assertThat(caller.send("GET", "/metrics", Buffer.buffer()).text())
        .contains("nv_inference_pending_request_count{model=\"" + model + "\",version=\"1\"} 0");
  }

  @Test
  void ensembleIsAnsweredAtTheDeadlineThatItsMemberCannotMeet() {
    Answer late = post("/v2/models/chain/infer", v2(""), TIMEOUT);
    assertThat(late.status()).as(late.text()).isEqualTo(504);
    assertThat(late.text()).contains("Request timeout expired after ");
    requireStillRunning("loop14");
  }

  /** Completes with the messages of a stream that ends well, or with its status. */
  private static final class StreamEnd implements StreamObserver<ModelStreamInferResponse> {
    private final CompletableFuture<String> text = new CompletableFuture<>();
    private final List<String> messages = new ArrayList<>();

    @Override
    public void onNext(ModelStreamInferResponse response) {
      messages.add(response.getErrorMessage());
    }

    @Override
    public void onError(Throwable failure) {
      text.complete("status " + failure.getMessage());
    }

    @Override
    public void onCompleted() {
      text.complete(String.join(", ", messages));
    }
  }

  private static StreamEnd stream(String model, boolean halfClosed) {
    var headers = new Metadata();
    headers.put(Metadata.Key.of("request-timeout", Metadata.ASCII_STRING_MARSHALLER), TIMEOUT);
    var end = new StreamEnd();
    StreamObserver<ModelInferRequest> requests =
        GRPCInferenceServiceGrpc.newStub(channel)
            .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
            .modelStreamInfer(end);
    requests.onNext(oip(model));
    if (halfClosed) {
      requests.onCompleted();
    }
    return end;
  }

  @Test
  void requestsOfStreamsAreAnsweredByMessagesAtTheDeadlineThatTheyShareWithTheirCalls() {
    String model = nextModel();
    List<StreamEnd> ends = Stream.generate(() -> stream(model, true)).limit(30).toList();
    assertThat(ends)
        .extracting(end -> end.text.join())
        .allSatisfy(text -> assertThat(text).startsWith("Request timeout expired"));
    requireStillRunning(model);
  }

  @Test
  void streamWhoseClientSendsNoEndIsEndedBehindTheAnswersOfItsDeadline() {
    String model = nextModel();
    StreamEnd end = stream(model, false);
    assertThat(end.text.join()).startsWith("status DEADLINE_EXCEEDED: Request timeout expired");
    assertThat(end.messages).singleElement().asString().startsWith("Request timeout expired");
    requireStillRunning(model);
  }

  @Test
  void configuredTimeoutIsADeadlineToo() {
    var config =
        new SluiceConfigReader(_ -> {})
            .read(
                Optional.empty(),
                Map.of(),
                List.of(
                    new SettingOverride("listeners", "localhost:0", "test"),
                    new SettingOverride("limits.request_timeout", TIMEOUT, "test"),
                    new SettingOverride("models.directory", models.toString(), "test")));
    try (var impatient = RunningServer.start(config);
        var client = new HttpCaller(impatient.port())) {
      Answer late = client.send("POST", "/v2/models/loop0/infer", Buffer.buffer(v2("")));
      assertThat(late.status()).isEqualTo(504);
      assertThat(late.text()).contains("Request timeout expired after ");
    }
  }
}
