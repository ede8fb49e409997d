package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.security.TlsConfig;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.inference.access.Operation;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelStreamInferResponse;
import dev.sluice.testing.AccessRow;
import dev.sluice.testing.AccessWire;
import dev.sluice.testing.BrpcClient;
import dev.sluice.testing.Envoy;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.MeshExample;
import dev.sluice.testing.OtlpCollector;
import dev.sluice.testing.PluginJar;
import dev.sluice.testing.Polling;
import dev.sluice.testing.RecordCopy;
import dev.sluice.testing.RunGate;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.SelfSigned;
import dev.sluice.testing.TestModels;
import dev.sluice.testing.TlsClient;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.opentelemetry.proto.trace.v1.Span;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two servers behind a real Envoy with the configuration of the page about meshes. The first server
 * has no version of the model {@code coming}; the second one has.
 */
class MeshIT {
  private static final String ROW =
      """
      {"inputs":[{"name":"x","datatype":"FP32","shape":[2],"data":[1,2]}]}\
      """;
  private static final String INFER = "/v2/models/half_plus_two/infer";
  private static final String GATED = "/v2/models/gated/infer";
  private static final String COMING = "/v2/models/coming/infer";
  private static final int PATIENCE_SECONDS = 60;

  /** A plugin that answers with the header of its request that the query names. */
  private static final String TELLER =
      """
      import dev.sluice.extension.*;

      public class Teller implements HttpHandler {
        @Override
        public void handle(HttpRequest request, HttpReply reply) throws InterruptedException {
          reply.send(request.header(request.query()).orElse("none"));
        }
      }
      """;

  @TempDir private static Path folder;
  private static final Vertx VERTX = Vertx.vertx();
  private static RunGate gate;
  private static OtlpCollector collector;
  private static SelfSigned own;
  private static SelfSigned alice;
  private static RunningServer first;
  private static RunningServer second;
  private static Envoy envoy;

  @BeforeAll
  static void open() throws Exception {
    Envoy.install();
    own = SelfSigned.create(folder, "own");
    alice = SelfSigned.createFor(folder, "alice", "alice", "dns:alice.example");
    collector = new OtlpCollector();
    Path models = folder.resolve("models");
    gate = new RunGate(models.resolve("gated/1"));
    first = start(writeModels(models), "first");
    Path others = folder.resolve("others");
    new PluginJar().file("Gate").service("Model", "Gate").into(others.resolve("gated/1"));
    Path coming = others.resolve("coming/1");
    TestModels.copy(TestModels.sample("half_plus_two", "1"), coming);
    second = start(writeModels(others), "second");
    envoy = Envoy.start(folder, config()).awaitHealthy("servers", 2);
    envoy.awaitHealthy("servers_http1", 2);
  }

  private static Path writeModels(Path models) throws IOException {
    TestModels.copy(TestModels.sample("half_plus_two", "1"), models.resolve("half_plus_two/1"));
    Files.createDirectories(models.resolve("coming"));
    TestModels.copy(Path.of("src/sample/models/writer"), models.resolve("writer"));
    Path writer = models.resolve("writer/model.yml");
    String endless = Files.readString(writer).replace("steps: 1000", "steps: 1000000");
    Files.writeString(writer, endless);
    new PluginJar()
        .source("Teller", TELLER)
        .service("HttpHandler", "Teller")
        .into(models.resolve("teller/1"));
    Files.writeString(models.resolve("teller/model.yml"), "java: { path: /teller }\n");
    return models;
  }

  private static RunningServer start(Path models, String socket) {
    ListenerConfig plain = ListenerConfig.DEFAULT.withPort(0);
    var tls = new TlsConfig(own.certificate(), own.key(), Optional.of(alice.certificate()));
    List<ListenerConfig> listeners =
        List.of(plain, plain.withTls(Optional.of(tls)), plain.onSocket(folder.resolve(socket)));
    var trusted = RunningServer.trusting(models, Duration.ZERO);
    SluiceConfig settings = RunningServer.settings(plain, trusted).with(listeners, trusted);
    return RunningServer.start(
        RecordCopy.with(settings, "observability.tracing", collector.tracing("mesh")));
  }

  private static String config() {
    List<Integer> ports = first.ports();
    return new MeshExample(ports.get(0), second.port(), ports.get(1), folder.resolve("first"))
        .config();
  }

  @AfterAll
  static void nothingIsLeftOpen() {
    List<AutoCloseable> all = new ArrayList<>();
    all.add(gate);
    all.add(envoy);
    all.add(first);
    all.add(second);
    all.add(collector);
    all.stream().filter(each -> each != null).forEach(MeshIT::close);
    VERTX.close().toCompletionStage().toCompletableFuture().join();
  }

  private static void close(AutoCloseable each) {
    try {
      each.close();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static HttpClient client(HttpVersion version) {
    return VERTX.createHttpClient(
        new HttpClientOptions().setProtocolVersion(version).setHttp2ClearTextUpgrade(false));
  }

  private static Answer ask(
      HttpVersion version, int port, String target, MultiMap headers, Buffer body) {
    HttpClient client = client(version);
    return client
        .request(HttpMethod.POST, port, "localhost", target)
        .compose(request -> {
          request.headers().addAll(headers);
          return request.send(body).compose(MeshIT::read);
        })
        .eventually(client::close)
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
        .join();
  }

  private static Future<Answer> read(HttpClientResponse response) {
    return response
        .body()
        .map(all ->
            new Answer(
                response.statusCode(),
                response.getHeader("content-type"),
                MultiMap.caseInsensitiveMultiMap().addAll(response.headers()),
                all));
  }

  private static MultiMap headers(String... pairs) {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap();
    for (int i = 0; i < pairs.length; i += 2) {
      headers.set(pairs[i], pairs[i + 1]);
    }
    return headers;
  }

  private static Answer post(Envoy by, String target, String... headers) {
    return ask(HttpVersion.HTTP_1_1, by.port("mesh"), target, headers(headers), Buffer.buffer(ROW));
  }

  @ParameterizedTest
  @ValueSource(strings = {"mesh", "http1", "socket"})
  void bothVersionsOfHttpAreSpokenOnBothSides(String listener) {
    for (HttpVersion version : List.of(HttpVersion.HTTP_1_1, HttpVersion.HTTP_2)) {
      Answer answer = ask(version, envoy.port(listener), INFER, headers(), Buffer.buffer(ROW));

      assertThat(answer.status()).as(answer.text()).isEqualTo(200);
      assertThat(answer.text()).contains("2.5");
    }
  }

  private static ModelInferRequest request(String model) {
    return ModelInferRequest.newBuilder()
        .setModelName(model)
        .addInputs(
            ModelInferRequest.InferInputTensor.newBuilder()
                .setName("x")
                .setDatatype("FP32")
                .addShape(2))
        .addRawInputContents(ByteString.copyFrom(new byte[8]))
        .build();
  }

  private static ManagedChannel channel(String listener) {
    return ManagedChannelBuilder.forAddress("localhost", envoy.port(listener))
        .usePlaintext()
        .build();
  }

  @ParameterizedTest
  @ValueSource(strings = {"mesh", "socket"})
  void grpcIsSpokenThroughHttp2(String listener) {
    ManagedChannel channel = channel(listener);

    var answer =
        GRPCInferenceServiceGrpc.newBlockingStub(channel).modelInfer(request("half_plus_two"));

    assertThat(answer.getModelName()).isEqualTo("half_plus_two");
    channel.shutdownNow();
  }

  @ParameterizedTest
  @ValueSource(strings = {"mesh", "http1", "socket"})
  void grpcWebIsSpokenThroughBothVersions(String listener) {
    byte[] message = request("half_plus_two").toByteArray();
    Buffer body =
        Buffer.buffer().appendByte((byte) 0).appendInt(message.length).appendBytes(message);

    Answer answer =
        ask(
            HttpVersion.HTTP_1_1,
            envoy.port(listener),
            "/inference.GRPCInferenceService/ModelInfer",
            headers("content-type", "application/grpc-web+proto"),
            body);

    assertThat(answer.contentType()).startsWith("application/grpc-web");
    assertThat(answer.text()).contains("grpc-status:0");
  }

  private static long running() {
    long all = 0;
    for (RunningServer server : List.of(first, second)) {
      try (var caller = new HttpCaller(server.port())) {
        String page = caller.send("GET", "/metrics", Buffer.buffer()).text();
        String name = "\nsluice_requests_running ";
        int at = page.indexOf(name) + name.length();
        all += (long) Double.parseDouble(page.substring(at, page.indexOf('\n', at)));
      }
    }
    return all;
  }

  @ParameterizedTest
  @ValueSource(strings = {"mesh", "http1", "socket"})
  void eventArrivesWhileItsStreamGoesOnAndTheEndOfItsReaderEndsTheStream(String listener) {
    HttpClient client = client(HttpVersion.HTTP_1_1);
    var event = new CompletableFuture<String>();
    client
        .request(
            HttpMethod.POST, envoy.port(listener), "localhost", "/v2/models/writer/generate_stream")
        .compose(request ->
            request
                .send("{\"text\":\"My dear \"}")
                .onSuccess(response ->
                    response.handler(part -> {
                      response.pause();
                      event.complete(part.toString());
                    })))
        .onFailure(event::completeExceptionally);

    assertThat(event.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join()).startsWith("data: {");
    Polling.await("a stream of a million events is open", () -> running() == 1);
    client.close();
    Polling.await("the stream has ended", () -> running() == 0);
  }

  @Test
  void messageOfAGrpcStreamArrivesBeforeTheNextRequestIsSent() throws Exception {
    ManagedChannel channel = channel("mesh");
    BlockingQueue<String> told = new LinkedBlockingQueue<>();
    StreamObserver<ModelInferRequest> stream =
        GRPCInferenceServiceGrpc.newStub(channel).modelStreamInfer(observer(told));
    for (int i = 0; i < 3; i++) {
      stream.onNext(request("half_plus_two"));

      assertThat(told.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo("half_plus_two");
    }
    stream.onCompleted();
    assertThat(told.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo("end");
    channel.shutdownNow();
  }

  private static StreamObserver<ModelStreamInferResponse> observer(BlockingQueue<String> told) {
    return new StreamObserver<>() {
      @Override
      public void onNext(ModelStreamInferResponse answer) {
        told.add(answer.getErrorMessage() + answer.getInferResponse().getModelName());
      }

      @Override
      public void onError(Throwable failure) {
        told.add(failure.toString());
      }

      @Override
      public void onCompleted() {
        told.add("end");
      }
    };
  }

  @Test
  void anotherServerAnswersWhereOneSays503OrUnavailable() {
    for (int i = 0; i < 20; i++) {
      Answer answer = post(envoy, COMING);
      assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    }
    ManagedChannel channel = channel("mesh");
    var stub = GRPCInferenceServiceGrpc.newBlockingStub(channel);
    for (int i = 0; i < 20; i++) {
      assertThat(stub.modelInfer(request("coming")).getModelName()).isEqualTo("coming");
    }
    channel.shutdownNow();
    assertThat(envoy.stat("cluster.servers.upstream_rq_retry_success")).isPositive();
  }

  private static Envoy startOn(RunningServer server, String config) {
    String both =
        config
            .replace("port_value: " + first.ports().get(0), "port_value: " + server.port())
            .replace("port_value: " + second.ports().get(0), "port_value: " + server.port());
    return Envoy.start(folder, both).awaitHealthy("servers", 2);
  }

  @Test
  void failuresOfOneModelTakeNoServerOutAndSayWhenToTryAgain() {
    try (Envoy alone = startOn(first, config())) {
      for (int i = 0; i < 20; i++) {
        Answer refused = post(alone, COMING);
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.headers().get("retry-after")).matches("\\d+");
      }

      assertThat(post(alone, INFER).status()).isEqualTo(200);
      assertThat(alone.stat("cluster.servers.outlier_detection.ejections_active")).isZero();
      assertThat(alone.stat("cluster.servers.membership_healthy")).isEqualTo(2);
    }
  }

  @Test
  void requestBeyondTheCircuitBreakersLimitIsRefusedByEnvoyItself() {
    try (Envoy narrow = startOn(first, config().replace("max_requests: 1024", "max_requests: 1"))) {
      gate.shut();
      var running = CompletableFuture.supplyAsync(() -> post(narrow, GATED));
      gate.awaitRun();

      Answer refused = post(narrow, INFER);

      assertThat(refused.status()).isEqualTo(503);
      assertThat(refused.headers().get("x-envoy-overloaded")).isEqualTo("true");
      gate.open();
      assertThat(running.join().status()).isEqualTo(200);
    }
  }

  private static String told(String listener, String header, MultiMap headers) {
    return ask(
            HttpVersion.HTTP_1_1,
            envoy.port(listener),
            "/teller?" + header,
            headers,
            Buffer.buffer())
        .text();
  }

  @Test
  void timeoutOfARouteIsTheDeadlineOfTheRequest() {
    assertThat(told("http1", "x-envoy-expected-rq-timeout-ms", headers())).isEqualTo("60000");
    assertThat(told("mesh", "x-envoy-expected-rq-timeout-ms", headers())).isEqualTo("none");
  }

  @Test
  void requestWhoseRouteTimesOutLeavesTheServer() {
    try (Envoy hasty = startOn(first, config().replace("timeout: 60s", "timeout: 0.5s"))) {
      hasty.awaitHealthy("servers_http1", 2);
      gate.shut();

      Answer answer =
          ask(HttpVersion.HTTP_1_1, hasty.port("http1"), GATED, headers(), Buffer.buffer(ROW));

      assertThat(answer.status()).isEqualTo(504);
      Polling.await("nothing runs", () -> running() == 0);
      gate.open();
    }
  }

  @Test
  void grpcTimeoutReachesTheServer() {
    byte[] message = request("half_plus_two").toByteArray();
    Buffer body =
        Buffer.buffer().appendByte((byte) 0).appendInt(message.length).appendBytes(message);
    Answer answer =
        ask(
            HttpVersion.HTTP_2,
            envoy.port("mesh"),
            "/inference.GRPCInferenceService/ModelInfer",
            headers("content-type", "application/grpc", "te", "trailers", "grpc-timeout", "1n"),
            body);

    assertThat(answer.headers().get("grpc-status")).as("DEADLINE_EXCEEDED").isEqualTo("4");
  }

  @ParameterizedTest
  @CsvSource({
    "traceparent, 0af7651916cd43dd8448eb211c80319c, 00-%s-b7ad6b7169203331-01",
    "b3, 1af7651916cd43dd8448eb211c80319c, %s-b7ad6b7169203331-1"
  })
  void contextOfATraceReachesTheSpansOfTheServer(String header, String trace, String context) {
    assertThat(post(envoy, INFER, header, context.formatted(trace)).status()).isEqualTo(200);

    assertThat(collector.trace(trace))
        .extracting(Span::getName)
        .contains("POST /v2/models/{model}/infer", "run");
  }

  @Test
  void loadReportIsForEnvoyAndNotForClients() {
    Answer answer = post(envoy, INFER);

    assertThat(answer.headers().contains("endpoint-load-metrics")).isFalse();
    assertThat(told("mesh", "endpoint-load-metrics-format", headers())).isEqualTo("TEXT");
  }

  @Test
  void certificateOfAClientReachesTheAuthorisationThroughAListenerForBytes() throws Exception {
    try (AccessWire wire = AccessWire.to(envoy.port("bytes"), new TlsClient(own, alice))) {
      var control = new AccessRow("POST", "/v2/logging", Operation.LOGGING);
      assertThat(wire.ask(control)).contains("'cert:CN=alice'");
      assertThat(wire.grpc("inference.GRPCInferenceService/LogSettings").getDescription())
          .contains("'cert:CN=alice'");
    }
  }

  @Test
  void headerWithACertificateIsNotBelieved() {
    Answer answer =
        ask(
            HttpVersion.HTTP_1_1,
            envoy.port("mesh"),
            "/v2/logging",
            headers(
                "x-forwarded-client-cert",
                "Subject=\"CN=alice\"",
                "content-type",
                "application/json"),
            Buffer.buffer("{}"));

    assertThat(answer.text()).contains("'anonymous'").doesNotContain("alice");
  }

  @Test
  void brpcPassesThroughAListenerForBytes() throws IOException {
    String config =
        config()
            .replace("port_value: " + first.ports().get(1), "port_value: " + first.ports().get(0));
    try (Envoy bytes = startOn(first, config);
        var brpc = new BrpcClient(bytes.port("bytes"))) {
      var call = new BrpcClient.Call("grps.protos.v1.GrpsBrpcService", "CheckLiveness", 1);

      BrpcClient.Answer answer = brpc.ask(call, new byte[0]);

      assertThat(answer.errorCode()).as(answer.errorText()).isZero();
    }
  }
}
