package dev.sluice.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.otlp.CollectorConfig;
import dev.sluice.config.otlp.TracingConfig;
import dev.sluice.config.security.ApiKeysConfig;
import dev.sluice.config.security.JwtConfig;
import dev.sluice.config.security.PolicyConfig;
import dev.sluice.config.security.PolicyConfig.Role;
import dev.sluice.config.security.SecurityConfig;
import dev.sluice.config.server.AccessLogConfig.Format;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.InferTensorContents;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelStreamInferResponse;
import dev.sluice.protocol.oip.grpc.proto.ServerLiveRequest;
import dev.sluice.testing.AnyListenerClient;
import dev.sluice.testing.BrpcClient;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.PredictClient;
import dev.sluice.testing.RawGrpc;
import dev.sluice.testing.RecordCopy;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One line for each call by every protocol, of a real server. */
@Timeout(120)
class AccessLogIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String KEY = "0123456789abcdef-ci";
  private static final String PREDICT = "/v1/models/half_plus_two:predict";
  private static final String INSTANCES = "{\"instances\":[2.0]}";

  @TempDir private Path folder;
  private Path file;
  private Path models;
  private RunningServer server;

  @BeforeEach
  void start() throws IOException {
    file = folder.resolve("access.log");
    models = folder.resolve("models");
    TestModels.copy(Path.of("src/sample/models/half_plus_two"), models.resolve("half_plus_two"));
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "rows", "3")
        .node("Identity", "y", "x")
        .output("y", OnnxModelWriter.FLOAT, "rows", "3")
        .writeTo(Files.createDirectories(models.resolve("wide/7")));
    Files.writeString(folder.resolve("keys"), "ci: " + KEY + "\n");
    server = start(Format.JSON);
  }

  private RunningServer start(Format format) {
    return RunningServer.start(settings(format));
  }

  private SluiceConfig settings(Format format) {
    var rules =
        List.of(
            new PolicyConfig(
                List.of("anonymous"),
                Set.of(Role.METADATA, Role.METRICS, Role.INFERENCE),
                List.of(),
                List.of()));
    SluiceConfig config =
        SluiceConfig.DEFAULT
            .with(
                List.of(ListenerConfig.DEFAULT.withPort(0)),
                RepositoryConfig.of(new DesiredModels(models, Map.of()), Duration.ZERO))
            .with(
                new SecurityConfig(
                    rules,
                    new ApiKeysConfig(List.of(), Optional.of(folder.resolve("keys"))),
                    JwtConfig.DEFAULT));
    return RunningServer.logging(config, file, format);
  }

  @AfterEach
  void close() {
    server.close();
  }

  private String ask(String method, String path, String body, String... headers)
      throws IOException {
    return AnyListenerClient.ask(server.port(), method, path, body, headers);
  }

  /** The log is complete when the server has stopped. */
  private List<JsonNode> lines() throws IOException {
    server.close();
    List<JsonNode> lines = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      lines.add(JSON.readTree(line));
    }
    return lines;
  }

  private JsonNode line() throws IOException {
    List<JsonNode> lines = lines();
    assertThat(lines).hasSize(1);
    return lines.getFirst();
  }

  @ParameterizedTest
  @CsvSource({
    "V1_ROWS, HTTP/1.1, POST, /v1/models/wide:predict, 200, , v1.predict",
    "TFS_CONTENT, gRPC, POST, /tensorflow.serving.PredictionService/Predict, 200, 0, tfs.Predict",
    "V2_JSON, HTTP/1.1, POST, /v2/models/wide/infer, 200, , oip.infer",
    "V2_BINARY, HTTP/1.1, POST, /v2/models/wide/infer, 200, , oip.infer",
    "V2_GRPC_RAW, gRPC, POST, /inference.GRPCInferenceService/ModelInfer, 200, 0, oip.infer",
    "GRPS_HTTP, HTTP/1.1, POST, /grps/v1/infer/predict, 200, , grps.predict",
    "GRPS_GRPC, gRPC, POST, /grps.protos.v1.GrpsService/Predict, 200, 0, grps.predict",
    "GRPS_BRPC, brpc, , grps.protos.v1.GrpsBrpcService/Predict, , 0, grps.predict",
  })
  void aCallIsOneLineByEveryProtocol(
      PredictClient.Protocol protocol,
      String carrier,
      String method,
      String path,
      String status,
      String rpcStatus,
      String api)
      throws Exception {
    try (var client = new PredictClient(server)) {
      client.ask(protocol, "wide", new float[] {1, 2, 3}, 1, 3);
    }
    JsonNode line = line();
    assertThat(line.path("protocol").asText()).isEqualTo(carrier);
    assertThat(line.path("method").asText(null)).isEqualTo(method);
    assertThat(line.path("path").asText()).isEqualTo(path);
    assertThat(line.path("status").asText(null)).isEqualTo(status);
    assertThat(line.path("rpc_status").asText(null)).isEqualTo(rpcStatus);
    assertThat(line.path("api").asText()).isEqualTo(api);
    assertThat(line.path("model").asText()).isEqualTo("wide");
    assertThat(line.path("version").asLong()).isEqualTo(7);
    assertThat(line.path("identity").asText()).isEqualTo("anonymous");
    assertThat(line.path("client").asText()).contains("127.0.0.1");
    assertThat(line.path("listener").asText()).isNotEmpty();
    assertThat(line.path("request_id").asText()).isNotEmpty();
    assertThat(line.path("time").asText()).matches("\\d{4}-\\d\\d-\\d\\dT.*Z");
    assertThat(line.has("error")).isFalse();
    assertThat(line.path("bytes_in").asLong()).isBetween(10L, 500L);
    assertThat(line.path("bytes_out").asLong()).isBetween(10L, 500L);
    assertThat(line.path("batch_size").asLong()).isEqualTo(1);
    double stages = 0;
    for (String stage : List.of("receive", "decode", "queue", "run", "encode", "send")) {
      assertThat(line.path(stage + "_ms").asDouble(-1)).as(stage).isNotNegative();
      stages += line.path(stage + "_ms").asDouble();
    }
    assertThat(line.path("run_ms").asDouble()).isPositive();
    assertThat(stages).isLessThanOrEqualTo(line.path("total_ms").asDouble() + 0.01);
  }

  @Test
  void aLargeBodyIsCountedAsItCame() throws Exception {
    var numbers = "2.0,".repeat(500_000) + "2.0";
    ask("POST", PREDICT, "{\"instances\":[" + numbers + "]}");
    assertThat(line().path("bytes_in").asLong()).isEqualTo(numbers.length() + 16);
  }

  @Test
  void aCredentialIsLoggedByItsNameAndNeverItself() throws IOException {
    ask("POST", PREDICT, INSTANCES, "X-API-Key: " + KEY, "X-Request-Id: 1");
    String bearer = "Authorization: Bearer " + KEY;
    ask("POST", PREDICT + "?api_key=" + KEY, INSTANCES, bearer, "X-Request-Id: 2");
    ask("POST", PREDICT, INSTANCES, "X-API-Key: " + KEY + "-wrong", "X-Request-Id: 3");
    // Event loops write in no order among each other.
    List<JsonNode> lines = new ArrayList<>(lines());
    lines.sort(Comparator.comparing(line -> line.path("request_id").asText()));
    assertThat(lines).hasSize(3);
    assertThat(lines.get(0).path("identity").asText()).isEqualTo("key:ci");
    assertThat(lines.get(1).path("identity").asText()).isEqualTo("key:ci");
    assertThat(lines.get(2).has("identity")).isFalse();
    assertThat(lines.get(2).path("status").asInt()).isEqualTo(401);
    assertThat(lines.get(2).path("error").asText()).isEqualTo("UNAUTHENTICATED");
    assertThat(Files.readString(file)).doesNotContain(KEY);
  }

  @ParameterizedTest
  @CsvSource({
    "POST, /v2/repository/models/half_plus_two/unload, 403, PERMISSION_DENIED, half_plus_two",
    "POST, /v1/models/nothing:predict, 404, NOT_FOUND, nothing",
    "POST, /v2/models/half_plus_two/infer, 400, INVALID_ARGUMENT, half_plus_two",
    "GET, /no/such/path, 404, NOT_FOUND,",
    "PATCH, /v2/models/half_plus_two/infer, 405, INVALID_ARGUMENT,",
  })
  void aRefusalIsLoggedWithItsReason(
      String method, String path, int status, String error, String model) throws IOException {
    ask(method, path, "{}");
    JsonNode line = line();
    assertThat(line.path("status").asInt()).isEqualTo(status);
    assertThat(line.path("error").asText(null)).isEqualTo(error);
    assertThat(line.path("model").asText(null)).isEqualTo(model);
    assertThat(line.path("method").asText()).isEqualTo(method);
    assertThat(line.path("path").asText()).isEqualTo(path);
    assertThat(line.has("run_ms")).isFalse();
  }

  @Test
  void aRequestThatTheGuardOfBrowsersTurnsAwayIsLogged() throws IOException {
    try (var socket = new Socket("localhost", server.port())) {
      socket
          .getOutputStream()
          .write(
              "GET /v2 HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
      socket.getInputStream().readAllBytes();
    }
    JsonNode line = line();
    assertThat(line.path("status").asInt()).isEqualTo(421);
    assertThat(line.path("path").asText()).isEqualTo("/v2");
  }

  @Test
  void aHeadThatCanNotBeReadIsLogged() throws IOException {
    try (var socket = new Socket("localhost", server.port())) {
      socket
          .getOutputStream()
          .write(
              "GET /v2 HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
      socket.getInputStream().readAllBytes();
    }
    JsonNode line = line();
    assertThat(line.path("status").asInt()).isEqualTo(400);
    assertThat(line.has("path")).isFalse();
    assertThat(line.has("method")).isFalse();
  }

  @Test
  void aMalformedBodyIsLoggedAsItWasAnswered() throws IOException {
    String head = "POST " + PREDICT + " HTTP/1.1\r\nHost: localhost\r\n";
    try (var socket = new Socket("localhost", server.port())) {
      socket
          .getOutputStream()
          .write((head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n").getBytes(UTF_8));
      assertThat(new String(socket.getInputStream().readAllBytes(), UTF_8))
          .startsWith("HTTP/1.1 400 ");
    }
    JsonNode line = line();
    assertThat(line.path("status").asInt()).isEqualTo(400);
    assertThat(line.path("error").asText()).isEqualTo("INVALID_ARGUMENT");
    assertThat(line.path("bytes_out").asInt()).isPositive();
  }

  @Test
  void grpcCallsThatAreNoneOfAModelAreLogged() throws Exception {
    try (var client = new PredictClient(server)) {
      var raw = new RawGrpc(client.channel());
      assertThat(raw.call("grpc.health.v1.Health/Check").isOk()).isTrue();
      assertThat(raw.call("inference.GRPCInferenceService/NoSuchMethod").getCode().value())
          .isEqualTo(12);
      assertThatThrownBy(() ->
              GRPCInferenceServiceGrpc.newBlockingStub(client.channel())
                  .modelInfer(ModelInferRequest.newBuilder().setModelName("nothing").build()))
          .isInstanceOf(StatusRuntimeException.class);
    }
    List<JsonNode> lines = lines();
    assertThat(lines).hasSize(3);
    assertThat(lines.get(0).path("path").asText()).isEqualTo("/grpc.health.v1.Health/Check");
    assertThat(lines.get(0).path("rpc_status").asInt(-1)).isZero();
    assertThat(lines.get(0).path("identity").asText()).isEqualTo("anonymous");
    assertThat(lines.get(1).path("rpc_status").asInt()).isEqualTo(12);
    assertThat(lines.get(2).path("rpc_status").asInt()).isEqualTo(5);
    assertThat(lines.get(2).path("error").asText()).isEqualTo("NOT_FOUND");
  }

  @Test
  void brpcCallsForNothingAreLogged() throws IOException {
    try (var brpc = new BrpcClient(server.port())) {
      brpc.ask(new BrpcClient.Call("no.Service", "Predict", 1), new byte[7]);
    }
    JsonNode line = line();
    assertThat(line.path("error").asText()).isEqualTo("NOT_FOUND");
    assertThat(line.path("client").asText()).startsWith("127.0.0.1:");
    assertThat(line.path("request_id").asText()).isNotEmpty();
    assertThat(line.path("bytes_in").asInt()).isEqualTo(7);
    assertThat(line.path("protocol").asText()).isEqualTo("brpc");
    assertThat(line.path("path").asText()).isEqualTo("no.Service/Predict");
    assertThat(line.path("rpc_status").asInt()).isEqualTo(1001);
  }

  @Test
  void aStreamIsOneLineWhenItHasEnded() throws Exception {
    try (var client = new PredictClient(server)) {
      var ended = new CompletableFuture<Void>();
      StreamObserver<ModelInferRequest> requests =
          GRPCInferenceServiceGrpc.newStub(client.channel())
              .modelStreamInfer(
                  new StreamObserver<>() {
                    @Override
                    public void onNext(ModelStreamInferResponse value) {}

                    @Override
                    public void onError(Throwable failure) {
                      ended.completeExceptionally(failure);
                    }

                    @Override
                    public void onCompleted() {
                      ended.complete(null);
                    }
                  });
      for (int i = 0; i < 3; i++) {
        requests.onNext(halfPlusTwo());
      }
      requests.onCompleted();
      ended.join();
    }
    JsonNode line = line();
    assertThat(line.path("path").asText())
        .isEqualTo("/inference.GRPCInferenceService/ModelStreamInfer");
    assertThat(line.path("api").asText()).isEqualTo("oip.stream");
    assertThat(line.path("model").asText()).isEqualTo("half_plus_two");
    assertThat(line.path("rpc_status").asInt(-1)).isZero();
    assertThat(line.path("run_ms").asDouble()).isPositive();
    assertThat(line.path("bytes_in").asLong())
        .isEqualTo(3L * (halfPlusTwo().getSerializedSize() + 5));
  }

  private static ModelInferRequest halfPlusTwo() {
    return ModelInferRequest.newBuilder()
        .setModelName("half_plus_two")
        .addInputs(
            ModelInferRequest.InferInputTensor.newBuilder()
                .setName("x")
                .setDatatype("FP32")
                .addShape(1)
                .setContents(InferTensorContents.newBuilder().addFp32Contents(2)))
        .build();
  }

  @Test
  void aClientOfAUnixDomainSocketHasNoAddress() throws Exception {
    server.close();
    Files.deleteIfExists(file);
    Path path = folder.resolve("s");
    server =
        RunningServer.start(
            RunningServer.logging(
                SluiceConfig.DEFAULT.with(
                    List.of(ListenerConfig.DEFAULT.onSocket(path)),
                    RepositoryConfig.of(new DesiredModels(models, Map.of()), Duration.ZERO)),
                file,
                Format.JSON));
    try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
      channel.write(
          ByteBuffer.wrap(
              "GET /v2 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII)));
      assertThat(channel.read(ByteBuffer.allocate(100))).isPositive();
    }
    JsonNode line = line();
    assertThat(line.path("status").asInt()).isEqualTo(200);
    assertThat(line.has("client")).isFalse();
    assertThat(line.path("listener").asText()).isEqualTo("unix:" + path);
  }

  @Test
  void aCallWithASpanNamesItsTrace() throws IOException {
    server.close();
    Files.deleteIfExists(file);
    var tracing =
        new TracingConfig(
            TracingConfig.DEFAULT.serverTiming(),
            new CollectorConfig(
                Optional.of(URI.create("http://localhost:1")),
                CollectorConfig.Protocol.HTTP,
                List.of()),
            0,
            true,
            "sluice",
            List.of());
    server =
        RunningServer.start(
            RunningServer.logging(
                RecordCopy.with(RunningServer.settings(models), "observability.tracing", tracing),
                file,
                Format.JSON));
    String trace = "0af7651916cd43dd8448eb211c80319c";
    ask("POST", PREDICT, INSTANCES, "traceparent: 00-" + trace + "-b7ad6b7169203331-01");
    ask("POST", PREDICT, INSTANCES, "traceparent: 00-" + trace + "-b7ad6b7169203331-00");
    for (String probe : List.of("/v2/health/ready", "/v2/models/half_plus_two/ready", "/metrics")) {
      ask("GET", probe, "", "traceparent: 00-" + trace + "-b7ad6b7169203331-01");
    }
    assertThat(lines())
        .extracting(line -> line.path("trace_id").asText(null))
        .containsExactlyInAnyOrder(trace, null, null, null, null);
  }

  @Test
  void noClientForgesALineOrAField() throws IOException {
    server.close();
    Files.deleteIfExists(file);
    server = start(Format.PATTERN);
    ask(
        "POST",
        "/grps/v1/infer/predict",
        "{\"model\":\"a 200\\n\\u001b[31m forged \\\"line\\u2028\",\"str_data\":\"x\"}",
        "X-Request-Id: \"a\" 200 b\\c");
    server.close();
    List<String> lines = Files.readAllLines(file);
    assertThat(lines).hasSize(1);
    assertThat(lines.getFirst())
        .contains("a\\x20200\\x0A\\x5Cu001b[31m\\x20forged\\x20\\x22line\\x5Cu2028/-")
        .contains(" \\x22a\\x22\\x20200\\x20b\\x5Cc ");
    assertThat(lines.getFirst().split(" ")).hasSize(14);
  }

  @Test
  void aPathIsCutWhereItIsTooLong() throws IOException {
    ask("GET", "/" + "a".repeat(3_000), "");
    assertThat(line().path("path").asText())
        .hasSizeLessThan(1_100)
        .startsWith("/aaa")
        .contains("characters");
  }

  @Test
  void probesThatSucceedAreLeftOutOnRequest() throws Exception {
    server.close();
    Files.deleteIfExists(file);
    server =
        RunningServer.start(
            RecordCopy.with(settings(Format.JSON), "observability.accessLog.probes", false));
    ask("GET", "/v2/health/ready", "");
    ask("GET", "/v2/models/half_plus_two/ready", "");
    ask("GET", "/metrics", "");
    ask("GET", "/v2/models/nothing/ready", "");
    try (var client = new PredictClient(server)) {
      assertThat(new RawGrpc(client.channel()).call("grpc.health.v1.Health/Check").isOk()).isTrue();
      var _ =
          GRPCInferenceServiceGrpc.newBlockingStub(client.channel())
              .serverLive(ServerLiveRequest.getDefaultInstance());
    }
    assertThat(line().path("path").asText()).isEqualTo("/v2/models/nothing/ready");
  }
}
