package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import dev.sluice.config.LoadReports;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.security.ControlAccess;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.testing.BrpcClient;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.Polling;
import dev.sluice.testing.RecordCopy;
import dev.sluice.testing.RunGate;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How busy a server is, for load balancers that ask with a request, and endpoint pickers. */
class LoadReportIT {
  private static final byte[] EMPTY = {};
  private static final String NUMBER = "=[0-9]+(\\.[0-9]+)?";
  private static final String PREDICT = "/v1/models/half_plus_two:predict";
  private static final String ROW = "{\"instances\":[1.0]}";
  private static final String GATED =
      """
      {"inputs":[{"name":"x","datatype":"FP32","shape":[2],"data":[1,2]}]}\
      """;
  private static final String ALL =
      "TEXT cpu_utilization=N, mem_utilization=N, rps_fractional=N, eps=N,"
          + " application_utilization=N, named_metrics.num_requests_waiting=N,"
          + " named_metrics.num_requests_running=N";
  private static final Metadata.Key<String> ASKED =
      Metadata.Key.of("endpoint-load-metrics-format", Metadata.ASCII_STRING_MARSHALLER);
  private static final Metadata.Key<String> TOLD =
      Metadata.Key.of("endpoint-load-metrics", Metadata.ASCII_STRING_MARSHALLER);
  private static final Metadata.Key<byte[]> TOLD_BINARY =
      Metadata.Key.of("endpoint-load-metrics-bin", Metadata.BINARY_BYTE_MARSHALLER);

  @TempDir private static Path models;
  private static RunGate gate;
  private static RunningServer server;
  private static HttpCaller caller;
  private static ManagedChannel channel;

  @BeforeAll
  static void open() throws IOException {
    TestModels.copy(TestModels.sample("half_plus_two", "1"), models.resolve("half_plus_two/1"));
    TestModels.copy(TestModels.slow(), models.resolve("slow/1"));
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

  private static Answer ask(HttpCaller by, String target, String body, @Nullable String format) {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap();
    if (format != null) {
      headers.set("endpoint-load-metrics-format", format);
    }
    return by.send("POST", target, headers, Buffer.buffer(body));
  }

  private static @Nullable String report(Answer answer) {
    return answer.headers().get("endpoint-load-metrics");
  }

  @ParameterizedTest
  @ValueSource(strings = {"TEXT", "text", "Text"})
  void answerTellsTheLoadAsTextIfTheRequestAsksForIt(String format) {
    String told = Objects.requireNonNull(report(ask(caller, PREDICT, ROW, format)));

    assertThat(told.replaceAll(NUMBER, "=N")).isEqualTo(ALL);
  }

  @Test
  void answerTellsTheLoadAsJson() {
    String told = Objects.requireNonNull(report(ask(caller, PREDICT, ROW, "JSON")));

    assertThat(told).startsWith("JSON ");
    JsonObject report = new JsonObject(told.substring("JSON ".length()));
    assertThat(report.fieldNames())
        .containsExactlyInAnyOrder(
            "cpu_utilization",
            "mem_utilization",
            "rps_fractional",
            "eps",
            "application_utilization",
            "named_metrics");
    assertThat(report.getJsonObject("named_metrics").getMap())
        .containsOnlyKeys("num_requests_waiting", "num_requests_running");
    assertThat(report.getDouble("mem_utilization")).isBetween(0.0, 1.0);
  }

  private static void assertIsReport(byte[] message) throws InvalidProtocolBufferException {
    var fields = UnknownFieldSet.parseFrom(message);
    assertThat(fields.asMap()).containsOnlyKeys(1, 2, 6, 7, 8, 9);
    assertThat(fields.getField(1).getFixed64List()).hasSize(1);
    List<String> names = new ArrayList<>();
    for (ByteString entry : fields.getField(8).getLengthDelimitedList()) {
      var named = UnknownFieldSet.parseFrom(entry);
      names.add(named.getField(1).getLengthDelimitedList().getFirst().toStringUtf8());
      assertThat(named.getField(2).getFixed64List()).hasSize(1);
    }
    assertThat(names).containsExactly("num_requests_waiting", "num_requests_running");
  }

  @Test
  void answerTellsTheLoadAsAProtobufMessage() throws Exception {
    String told = Objects.requireNonNull(report(ask(caller, PREDICT, ROW, "BIN")));

    assertThat(told).startsWith("BIN ");
    assertIsReport(Base64.getDecoder().decode(told.substring("BIN ".length())));
  }

  @Test
  void answerToARequestThatDoesNotAskOrAsksForAnUnknownFormTellsNothing() {
    assertThat(report(ask(caller, PREDICT, ROW, null))).isNull();
    assertThat(report(ask(caller, PREDICT, ROW, "YAML"))).isNull();
    assertThat(report(ask(caller, PREDICT, ROW, ""))).isNull();
  }

  @Test
  void failureTellsTheLoadToo() {
    Answer answer = ask(caller, "/v1/models/none:predict", ROW, "TEXT");

    assertThat(answer.status()).isEqualTo(404);
    assertThat(report(answer)).startsWith("TEXT cpu_utilization=");
  }

  @Test
  void answerOfBrpcTellsItAmongItsUserFields() throws IOException {
    var call = new BrpcClient.Call("grps.protos.v1.GrpsBrpcService", "CheckLiveness", 1);
    try (var client = new BrpcClient(server.port())) {
      var told = client.ask(call.saying(Map.of("endpoint-load-metrics-format", "TEXT")), EMPTY);
      assertThat(told.errorCode()).isZero();
      assertThat(told.userFields()).containsOnlyKeys("endpoint-load-metrics");
      String report = Objects.requireNonNull(told.userFields().get("endpoint-load-metrics"));
      assertThat(report.replaceAll(NUMBER, "=N")).isEqualTo(ALL);
      assertThat(client.ask(call, EMPTY).userFields()).isEmpty();
    }
  }

  @Test
  void onlyCallersWhoMayDoWhatTheyAskForLearnTheLoad() {
    SluiceConfig always =
        RecordCopy.with(
            RunningServer.settings(
                ListenerConfig.DEFAULT.withPort(0).with(ControlAccess.POLICY),
                RepositoryConfig.of(new DesiredModels(models, Map.of()), Duration.ZERO)),
            "observability.loadReports",
            LoadReports.ALWAYS);
    try (var other = RunningServer.start(always);
        var client = new HttpCaller(other.port())) {
      Answer refused = ask(client, "/v2/repository/models/slow/unload", "{}", "TEXT");
      assertThat(refused.status()).isEqualTo(403);
      assertThat(report(refused)).isNull();
      assertThat(report(ask(client, "/none", "{}", "TEXT"))).isNull();
      assertThat(report(ask(client, PREDICT, ROW, "TEXT"))).startsWith("TEXT ");
    }
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

  private static GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub stub(
      String format, AtomicReference<@Nullable Metadata> trailers) {
    var asks = new Metadata();
    asks.put(ASKED, format);
    return GRPCInferenceServiceGrpc.newBlockingStub(
        ClientInterceptors.intercept(
            channel,
            MetadataUtils.newAttachHeadersInterceptor(asks),
            MetadataUtils.newCaptureMetadataInterceptor(new AtomicReference<>(), trailers)));
  }

  @Test
  void grpcTellsTheLoadInTheTrailerThatItsClientsRead() throws Exception {
    var trailers = new AtomicReference<@Nullable Metadata>();
    var _ = stub("BIN", trailers).modelInfer(request("slow"));

    Metadata told = Objects.requireNonNull(trailers.get());
    assertIsReport(Objects.requireNonNull(told.get(TOLD_BINARY)));
    assertThat(told.containsKey(TOLD)).isFalse();
  }

  @Test
  void grpcTellsTheLoadAsTextWithAFailureToo() {
    var trailers = new AtomicReference<@Nullable Metadata>();
    assertThatThrownBy(() -> stub("text", trailers).modelInfer(request("none")))
        .isInstanceOf(StatusRuntimeException.class);

    assertThat(Objects.requireNonNull(trailers.get()).get(TOLD)).startsWith("TEXT cpu_");
  }

  @Test
  void grpcWebTellsTheLoadAmongItsTrailers() {
    MultiMap headers =
        MultiMap.caseInsensitiveMultiMap()
            .set("content-type", "application/grpc-web+proto")
            .set("endpoint-load-metrics-format", "TEXT");
    byte[] message = request("slow").toByteArray();
    Buffer body =
        Buffer.buffer().appendByte((byte) 0).appendInt(message.length).appendBytes(message);

    String answer =
        caller.send("POST", "/inference.GRPCInferenceService/ModelInfer", headers, body).text();

    assertThat(answer).contains("grpc-status:0\r\nendpoint-load-metrics:TEXT cpu_utilization=");
  }

  @ParameterizedTest
  @ValueSource(strings = {"OFF", "ALWAYS"})
  void settingTellsTheLoadAlwaysOrNever(LoadReports told) {
    try (var other =
            RunningServer.start(
                RecordCopy.with(
                    RunningServer.settings(models), "observability.loadReports", told));
        var client = new HttpCaller(other.port())) {
      String unasked = report(ask(client, PREDICT, ROW, null));
      String asked = report(ask(client, PREDICT, ROW, "JSON"));

      if (told == LoadReports.ALWAYS) {
        assertThat(unasked).startsWith("TEXT ");
        assertThat(asked).startsWith("JSON ");
      } else {
        assertThat(unasked).isNull();
        assertThat(asked).isNull();
      }
    }
  }

  private static CompletableFuture<Answer> atTheGate() {
    return CompletableFuture.supplyAsync(() -> ask(caller, "/v2/models/gated/infer", GATED, null));
  }

  private static String metrics() {
    return caller.send("GET", "/metrics", Buffer.buffer()).text();
  }

  @Test
  void requestsThatWaitAndThatRunAreCountedForTheWholeServer() {
    CompletableFuture<Answer> running = atTheGate();
    gate.awaitRun();
    List<CompletableFuture<Answer>> waiting = List.of(atTheGate(), atTheGate());
    Polling.await("two wait", () -> metrics().contains("\nsluice_requests_waiting 2.0\n"));

    assertThat(metrics())
        .contains("\nsluice_requests_running 1.0\n")
        .contains("\nnv_trt_llm_request_metrics{request_type=\"waiting\"} 2\n")
        .contains("\nnv_trt_llm_request_metrics{request_type=\"scheduled\"} 1\n")
        .containsPattern("\nsluice_memory_utilization [0-9]")
        .containsPattern(
            "\nnv_trt_llm_kv_cache_block_metrics\\{kv_cache_block_type=\"fraction\"} [0-9]");
    Polling.await(
        "a report tells it",
        () ->
            Objects.requireNonNull(report(ask(caller, PREDICT, ROW, "TEXT")))
                .contains("num_requests_waiting=2, named_metrics.num_requests_running=1"));
    gate.open();
    running.join();
    waiting.forEach(CompletableFuture::join);
    Polling.await("nothing runs", () -> metrics().contains("\nsluice_requests_running 0.0\n"));
  }
}
