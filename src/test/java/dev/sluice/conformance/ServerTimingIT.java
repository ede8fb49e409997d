package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.sluice.config.otlp.TracingConfig;
import dev.sluice.protocol.grps.grpc.proto.DataType;
import dev.sluice.protocol.grps.grpc.proto.GenericTensor;
import dev.sluice.protocol.grps.grpc.proto.GenericTensorData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.testing.BrpcClient;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.Polling;
import dev.sluice.testing.RecordCopy;
import dev.sluice.testing.RunGate;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.ServerTiming;
import dev.sluice.testing.TestModels;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A model whose run takes about 300 ms, and callers who want to know where the time went. */
class ServerTimingIT {
  private static final String V2 = "/v2/models/slow/infer";
  private static final String ROW =
      """
      {"inputs":[{"name":"INPUT0","datatype":"FP32","shape":[1,4],"data":[1,2,3,4]}]}\
      """;

  private static final String GATED =
      """
      {"inputs":[{"name":"x","datatype":"FP32","shape":[2],"data":[1,2]}]}\
      """;
  private static final String PENDING =
      "nv_inference_pending_request_count{model=\"gated\",version=\"1\"} ";

  private static final BrpcClient.Call BRPC =
      new BrpcClient.Call("grps.protos.v1.GrpsBrpcService", "Predict", 1);

  private static final Metadata.Key<String> ASKED =
      Metadata.Key.of("x-server-timing", Metadata.ASCII_STRING_MARSHALLER);

  private static final Metadata.Key<String> TOLD =
      Metadata.Key.of("server-timing", Metadata.ASCII_STRING_MARSHALLER);

  @TempDir private static Path models;
  private static RunGate gate;
  private static RunningServer server;
  private static HttpCaller caller;
  private static ManagedChannel channel;

  @BeforeAll
  static void open() throws IOException {
    TestModels.copy(TestModels.slow(), models.resolve("slow/1"));
    TestModels.copy(TestModels.sample("half_plus_two", "1"), models.resolve("half_plus_two/1"));
    TestModels.copy(TestModels.sample("half_plus_two", "1"), models.resolve("cached/1"));
    Files.writeString(models.resolve("cached/model.yml"), "response_cache: true\n");
    gate = new RunGate(models.resolve("gated/1"));
    server = RunningServer.startWithPlugins(models);
    caller = new HttpCaller(server.port());
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
  }

  @AfterAll
  static void nothingIsLeftOpen() {
    gate.close();
    channel.shutdownNow();
    caller.close();
    server.close();
  }

  private static Answer ask(String target, String body, @Nullable String asked) {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap();
    if (asked != null) {
      headers.set("X-Server-Timing", asked);
    }
    return caller.send("POST", target, headers, Buffer.buffer(body));
  }

  @Test
  void responseTellsWhereItsTimeWentIfTheRequestAsksForIt() {
    long begun = System.nanoTime();
    Answer answer = ask(V2, ROW, "1");
    double taken = (System.nanoTime() - begun) / 1e6;

    ServerTiming times = ServerTiming.of(answer.headers().get("Server-Timing"));
    assertThat(times.times())
        .containsOnlyKeys("receive", "decode", "queue", "run", "complete", "encode", "total");
    assertThat(times.time("run")).isGreaterThan(50).isLessThan(taken);
    times.assertAddsUp();
  }

  @Test
  void requestBehindAnotherWaitsInTheQueue() {
    CompletableFuture<Answer> first = atTheGate();
    gate.awaitRun();
    CompletableFuture<Answer> second = atTheGate();
    Polling.await("one waits", () -> metrics().contains(PENDING + "1\n"));
    long seen = System.nanoTime();
    Polling.await("20 ms passed", () -> System.nanoTime() - seen > 20_000_000);
    gate.open();

    ServerTiming times = ServerTiming.of(second.join().headers().get("Server-Timing"));
    assertThat(times.time("queue")).isGreaterThan(20);
    times.assertAddsUp();
    ServerTiming.of(first.join().headers().get("Server-Timing")).assertAddsUp();
  }

  private static CompletableFuture<Answer> atTheGate() {
    return CompletableFuture.supplyAsync(() -> ask("/v2/models/gated/infer", GATED, "1"));
  }

  private static String metrics() {
    return caller.send("GET", "/metrics", Buffer.buffer()).text();
  }

  @Test
  void requestThatDoesNotAskIsToldNothing() {
    String body = "{\"instances\":[1.0]}";
    String target = "/v1/models/half_plus_two:predict";

    assertThat(ask(target, body, null).headers().contains("Server-Timing")).isFalse();
    assertThat(ask(target, body, "0").headers().contains("Server-Timing")).isFalse();
    assertThat(ask(target, body, "1").headers().contains("Server-Timing")).isTrue();
  }

  @Test
  void answerWithoutAModelTellsItsTimesToo() {
    ServerTiming times =
        ServerTiming.of(ask("/v2/models/none/infer", ROW, "1").headers().get("Server-Timing"));

    assertThat(times.times()).containsOnlyKeys("receive", "handle", "total");
    times.assertAddsUp();
  }

  @Test
  void answerFromTheResponseCacheHasNoRun() {
    String body = "{\"instances\":[7.0]}";
    String target = "/v1/models/cached:predict";

    assertThat(ServerTiming.of(ask(target, body, "1").headers().get("Server-Timing")).times())
        .containsKey("run");
    ServerTiming times = ServerTiming.of(ask(target, body, "1").headers().get("Server-Timing"));
    assertThat(times.times()).containsOnlyKeys("receive", "decode", "queue", "encode", "total");
    times.assertAddsUp();
  }

  private static GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub stub(
      AtomicReference<@Nullable Metadata> trailers) {
    var asks = new Metadata();
    asks.put(ASKED, "1");
    return GRPCInferenceServiceGrpc.newBlockingStub(
        ClientInterceptors.intercept(
            channel,
            MetadataUtils.newAttachHeadersInterceptor(asks),
            MetadataUtils.newCaptureMetadataInterceptor(new AtomicReference<>(), trailers)));
  }

  private static ModelInferRequest request(String model) {
    return ModelInferRequest.newBuilder()
        .setModelName(model)
        .addInputs(
            ModelInferRequest.InferInputTensor.newBuilder()
                .setName("INPUT0")
                .setDatatype("FP32")
                .addShape(1)
                .addShape(4))
        .addRawInputContents(ByteString.copyFrom(new byte[16]))
        .build();
  }

  @Test
  void grpcTellsItInATrailer() {
    var trailers = new AtomicReference<@Nullable Metadata>();
    var _ = stub(trailers).modelInfer(request("slow"));

    ServerTiming times = ServerTiming.of(Objects.requireNonNull(trailers.get()).get(TOLD));
    assertThat(times.time("run")).isGreaterThan(50);
    times.assertAddsUp();
  }

  @Test
  void grpcTellsItWithAFailureToo() {
    var trailers = new AtomicReference<@Nullable Metadata>();
    assertThatThrownBy(() -> stub(trailers).modelInfer(request("none")))
        .isInstanceOf(StatusRuntimeException.class);

    ServerTiming.of(Objects.requireNonNull(trailers.get()).get(TOLD)).assertAddsUp();
  }

  @Test
  void grpcWebTellsItAmongItsTrailers() {
    MultiMap headers =
        MultiMap.caseInsensitiveMultiMap()
            .set("content-type", "application/grpc-web+proto")
            .set("x-server-timing", "1");
    byte[] message = request("slow").toByteArray();
    Buffer body =
        Buffer.buffer().appendByte((byte) 0).appendInt(message.length).appendBytes(message);

    String answer =
        caller.send("POST", "/inference.GRPCInferenceService/ModelInfer", headers, body).text();

    assertThat(answer).contains("grpc-status:0\r\nserver-timing:receive;dur=");
  }

  private static BrpcClient.Answer brpc(String model, Map<String, String> fields)
      throws IOException {
    var x =
        GenericTensor.newBuilder()
            .setName("x")
            .setDtype(DataType.DT_FLOAT32)
            .addShape(2)
            .addAllFlatFloat32(List.of(1f, 2f));
    var message =
        GrpsMessage.newBuilder()
            .setModel(model)
            .setGtensors(GenericTensorData.newBuilder().addTensors(x));
    try (var client = new BrpcClient(server.port())) {
      return client.ask(BRPC.saying(fields), message.build().toByteArray());
    }
  }

  @Test
  void brpcTellsItAmongTheUserFieldsOfItsMeta() throws IOException {
    BrpcClient.Answer answer = brpc("half_plus_two", Map.of("X-Server-Timing", "1"));

    assertThat(GrpsMessage.parseFrom(answer.message()).getGtensors().getTensorsList()).hasSize(1);
    assertThat(answer.userFields()).containsOnlyKeys("server-timing");
    ServerTiming times = ServerTiming.of(answer.userFields().get("server-timing"));
    assertThat(times.times())
        .containsOnlyKeys("receive", "decode", "queue", "run", "complete", "encode", "total");
    times.assertAddsUp();
    assertThat(brpc("half_plus_two", Map.of()).userFields()).isEmpty();
  }

  @Test
  void brpcTellsItWithAFailureToo() throws IOException {
    BrpcClient.Answer unknown = brpc("none", Map.of("x-server-timing", "1"));
    assertThat(GrpsMessage.parseFrom(unknown.message()).getStatus().getMsg()).contains("none");
    ServerTiming.of(unknown.userFields().get("server-timing")).assertAddsUp();

    try (var client = new BrpcClient(server.port())) {
      var call = BRPC.saying(Map.of("x-server-timing", "1")).compressed(9);
      BrpcClient.Answer refused = client.ask(call, new byte[1]);
      assertThat(refused.errorText()).contains("compress_type is 9");
      ServerTiming.of(refused.userFields().get("server-timing")).assertAddsUp();
    }
  }

  @Test
  void settingTellsItAlwaysOrNever() {
    for (var told : TracingConfig.Timing.values()) {
      try (var other =
              RunningServer.start(
                  RecordCopy.with(
                      RunningServer.settings(models), "observability.tracing.serverTiming", told));
          var client = new HttpCaller(other.port())) {
        MultiMap asking = MultiMap.caseInsensitiveMultiMap().set("x-server-timing", "1");
        String target = "/v1/models/half_plus_two";
        MultiMap none = MultiMap.caseInsensitiveMultiMap();

        assertThat(client.send("GET", target, none, Buffer.buffer()).headers().get("server-timing"))
            .matches(value -> (value != null) == (told == TracingConfig.Timing.ALWAYS));
        assertThat(
                client.send("GET", target, asking, Buffer.buffer()).headers().get("server-timing"))
            .matches(value -> (value == null) == (told == TracingConfig.Timing.OFF));
      }
    }
  }
}
