package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import dev.sluice.protocol.grps.grpc.proto.GenericTensor;
import dev.sluice.protocol.grps.grpc.proto.GenericTensorData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelReadyRequest;
import dev.sluice.protocol.oip.grpc.proto.ServerReadyRequest;
import dev.sluice.protocol.tfs.grpc.proto.DataType;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
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
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A TensorFlow model that hangs while all tests but the last run, and callers without deadlines.
 * The run that makes it hang begins before, with another one waiting behind it.
 */
class BreakerIT {
  /** Length of the run that the tests find under way, and of those that they wait for. */
  private static final Duration LONG = Duration.ofSeconds(6);

  private static final Duration BRIEF = Duration.ofMillis(600);
  private static final String REASON = "model 'loop/1' is out of service: a run has taken ";

  @TempDir private static Path models;
  private static RunningServer server;
  private static HttpCaller caller;
  private static ManagedChannel channel;
  private static CompletableFuture<Answer> running;
  private static Answer waited;
  private static long briefSteps;

  @BeforeAll
  static void hang() throws IOException {
    for (String name : new String[] {"loop", "brief", "vital"}) {
      LoopModel.write(models, name);
      Files.writeString(
          models.resolve(name).resolve("model.yml"),
          "concurrency: 1\nbreaker: { hang: 100ms, probe_interval: 3s, abandoned_runs: 0%s }"
              .formatted(name.equals("vital") ? ", readiness: server" : ""));
    }
    TestModels.copy(TestModels.sample("half_plus_two", "1"), models.resolve("half_plus_two/1"));
    LoopModel.writeRow(models, "measured");
    server = RunningServer.start(models);
    caller = new HttpCaller(server.port());
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
    long steps;
    try (var measuring = new StepsCaller(server.port(), server.port())) {
      briefSteps = LoopTurns.lasting(BRIEF, measuring, "measured");
      steps = LoopTurns.lasting(LONG, measuring, "measured");
    }
    running = begin("loop", steps);
    waited = infer("loop", 1);
  }

  @AfterAll
  static void nothingIsLeftOpen() {
    channel.shutdownNow();
    running.join();
    caller.close();
    server.close();
  }

  private static Answer get(String path) {
    return caller.send("GET", path, Buffer.buffer());
  }

  private static Answer infer(String model, long steps) {
    return caller.post(
        "/v2/models/" + model + "/infer",
        "{\"inputs\":[{\"name\":\"steps\",\"datatype\":\"INT64\",\"shape\":[],\"data\":["
            + steps
            + "]}]}");
  }

  /** Sends a request, and returns once it runs. */
  private static CompletableFuture<Answer> begin(String model, long steps) {
    CompletableFuture<Answer> answer = CompletableFuture.supplyAsync(() -> infer(model, steps));
    String idle = "sluice_model_longest_run_seconds{model=\"" + model + "\",version=\"1\"} 0.0\n";
    while (metrics().contains(idle) && !answer.isDone()) {
      Thread.onSpinWait();
    }
    return answer;
  }

  private static String metrics() {
    return get("/metrics").text();
  }

  @Test
  void requestThatWaitsBehindARunThatHangsIsRefused() {
    assertThat(waited.status()).as(waited.text()).isEqualTo(503);
    assertThat(waited.text()).contains(REASON);
    assertThat(waited.headers().get("Retry-After")).isEqualTo("3");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          /v1/models/loop:predict | {"inputs":{"steps":1}}
          /v2/models/loop/infer   | {"inputs":[{"name":"steps","datatype":"INT64","shape":[],"data":[1]}]}
          /grps/v1/infer/predict  | {"model":"loop","gtensors":{"tensors":[{"name":"steps","dtype":"DT_INT64","shape":[],"flat_int64":[1]}]}}
          """)
  void httpCallIsRefusedAtOnceWithTheReason(String path, String body) {
    Answer refused = caller.post(path, body);
    assertThat(refused.status()).as(refused.text()).isEqualTo(503);
    assertThat(refused.text()).contains(REASON);
    assertThat(refused.headers().get("Retry-After")).isEqualTo("3");
  }

  private static ModelInferRequest oip() {
    ByteBuffer one = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(0, 1);
    var request = ModelInferRequest.newBuilder().setModelName("loop");
    request.addInputsBuilder().setName("steps").setDatatype("INT64");
    return request.addRawInputContents(ByteString.copyFrom(one)).build();
  }

  private static PredictRequest tfs() {
    var tensor =
        TensorProto.newBuilder()
            .setDtype(DataType.DT_INT64)
            .setTensorShape(TensorShapeProto.getDefaultInstance())
            .addInt64Val(1);
    return PredictRequest.newBuilder()
        .setModelSpec(ModelSpec.newBuilder().setName("loop"))
        .putInputs("steps", tensor.build())
        .build();
  }

  private static GrpsMessage grps() {
    var tensor =
        GenericTensor.newBuilder()
            .setName("steps")
            .setDtype(dev.sluice.protocol.grps.grpc.proto.DataType.DT_INT64)
            .addFlatInt64(1);
    return GrpsMessage.newBuilder()
        .setModel("loop")
        .setGtensors(GenericTensorData.newBuilder().addTensors(tensor))
        .build();
  }

  @ParameterizedTest
  @CsvSource({
    "inference.GRPCInferenceService/ModelInfer",
    "tensorflow.serving.PredictionService/Predict"
  })
  void grpcCallIsRefusedAtOnceWithTheReason(String method) {
    byte[] request = (method.startsWith("inference") ? oip() : tfs()).toByteArray();
    StatusRuntimeException refused =
        catchThrowableOfType(
            StatusRuntimeException.class, () -> RawCalls.send(channel, method, request));
    assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(refused.getStatus().getDescription()).contains(REASON);
  }

  @Test
  void grpsCallIsRefusedAtOnceWithTheReasonInItsMessage() throws IOException {
    byte[] answer =
        RawCalls.send(channel, "grps.protos.v1.GrpsService/Predict", grps().toByteArray());
    assertThat(GrpsMessage.parseFrom(answer).getStatus().getMsg()).contains(REASON);
  }

  @Test
  void brpcCallIsRefusedAtOnceWithTheReason() throws IOException {
    try (var brpc = new BrpcClient(server.port())) {
      var call = new BrpcClient.Call("grps.protos.v1.GrpsBrpcService", "Predict", 1);
      BrpcClient.Answer answer = brpc.ask(call, grps().toByteArray());
      assertThat(answer.text() + answer.errorText()).contains(REASON);
    }
  }

  @Test
  void modelIsNotReadyButTheServerIsAndOtherModelsAnswer() {
    assertThat(get("/v2/models/loop/ready").status()).isEqualTo(400);
    assertThat(get("/v2/health/ready").status()).isEqualTo(200);
    var stub = GRPCInferenceServiceGrpc.newBlockingStub(channel);
    var model = ModelReadyRequest.newBuilder().setName("loop").build();
    assertThat(stub.modelReady(model).getReady()).isFalse();
    assertThat(stub.serverReady(ServerReadyRequest.getDefaultInstance()).getReady()).isTrue();
    Answer other = caller.post("/v1/models/half_plus_two:predict", "{\"instances\":[2]}");
    assertThat(other.text()).contains("3.0");
    assertThat(running).isNotDone();
  }

  @Test
  void metricsShowTheBreakerAndTheRun() {
    assertThat(metrics())
        .contains("sluice_model_breaker_state{model=\"loop\",version=\"1\"} 2.0\n")
        .contains("sluice_model_breaker_state{model=\"half_plus_two\",version=\"1\"} 0.0\n")
        .containsPattern(
            "sluice_model_longest_run_seconds\\{model=\"loop\",version=\"1\"} [0-9]+\\.[0-9]+")
        .contains("sluice_model_longest_run_seconds{model=\"brief\",version=\"1\"} 0.0\n");
  }

  @Test
  void modelAnswersAgainWhenTheRunHasEnded() {
    CompletableFuture<Answer> first = begin("brief", briefSteps);
    assertThat(infer("brief", 1).status()).isEqualTo(503);
    assertThat(first.join().status()).isEqualTo(200);
    assertThat(infer("brief", 2).text()).contains("\"data\":[2]");
    assertThat(get("/v2/models/brief/ready").status()).isEqualTo(200);
    assertThat(metrics())
        .contains("sluice_model_breaker_state{model=\"brief\",version=\"1\"} 0.0\n");
  }

  @Test
  void serverIsNotReadyWhileAModelHangsThatItsReadinessDependsOn() {
    CompletableFuture<Answer> first = begin("vital", briefSteps);
    assertThat(infer("vital", 1).status()).isEqualTo(503);
    assertThat(get("/v2/health/ready").status()).isEqualTo(503);
    assertThat(first.join().status()).isEqualTo(200);
    assertThat(get("/v2/health/ready").status()).isEqualTo(200);
  }
}
