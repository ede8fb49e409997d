package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.ModelConfigRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelMetadataRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelReadyRequest;
import dev.sluice.protocol.oip.grpc.proto.ServerReadyRequest;
import dev.sluice.protocol.tfs.grpc.proto.GetModelMetadataRequest;
import dev.sluice.protocol.tfs.grpc.proto.GetModelStatusRequest;
import dev.sluice.protocol.tfs.grpc.proto.ModelServiceGrpc;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.PredictionServiceGrpc;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import dev.sluice.transport.ListenerContext;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.grpc.health.v1.HealthCheckRequest;
import io.vertx.grpc.health.v1.HealthCheckResponse;
import io.vertx.grpc.health.v1.HealthCheckResponse.ServingStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** What load balancers and callers meet while models are on their way, over every protocol. */
@Timeout(120)
class StartingIT {
  private static final Path SAVED = Path.of("src/test/models/tfs/half_plus_two/00000123");
  private static final Metadata.Key<String> PUSHBACK =
      Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER);
  private static final MethodDescriptor<HealthCheckRequest, HealthCheckResponse> HEALTH =
      MethodDescriptor.<HealthCheckRequest, HealthCheckResponse>newBuilder()
          .setType(MethodDescriptor.MethodType.UNARY)
          .setFullMethodName("grpc.health.v1.Health/Check")
          .setRequestMarshaller(ProtoUtils.marshaller(HealthCheckRequest.getDefaultInstance()))
          .setResponseMarshaller(ProtoUtils.marshaller(HealthCheckResponse.getDefaultInstance()))
          .build();
  private static final Buffer BODY =
      Buffer.buffer("{\"model\":\"m\",\"ndarray\":[1.0],\"instances\":[1.0]}");

  private static final List<String> MODEL_PATHS =
      List.of(
          "GET /v1/models/m",
          "GET /v1/models/m/versions/123",
          "GET /v1/models/m/metadata",
          "POST /v1/models/m:predict",
          "POST /v1/models/m/versions/123:predict",
          "POST /v1/models/m/labels/stable:predict",
          "GET /v2/models/m",
          "GET /v2/models/m/versions/123",
          "GET /v2/models/m/config",
          "POST /v2/models/m/infer",
          "POST /grps/v1/infer/predict");

  @TempDir Path temp;

  private Path models() {
    return temp.resolve("models");
  }

  private RunningServer start() {
    return RunningServer.start(
        RunningServer.settings(
            ListenerConfig.DEFAULT.withPort(0),
            RepositoryConfig.of(new DesiredModels(models(), Map.of()), Duration.ofMillis(20))));
  }

  @Test
  void beforeTheFoldersWereLookedAtEveryProtocolSaysWhenToTryAgain() throws Exception {
    var lines = new ListAppender<ILoggingEvent>();
    lines.start();
    var log = (Logger) LoggerFactory.getLogger(ListenerContext.class);
    log.addAppender(lines);
    try (var server = start();
        var http = new HttpCaller(server.port())) {
      MODEL_PATHS.forEach(path -> retriesLater(http, path, 503));
      retriesLater(http, "GET /v2/health/ready", 503);
      retriesLater(http, "GET /v2/models/m/ready", 400);
      grpc(server, StartingIT::isUnavailable);
      assertThat(lines.list).as("one line for all").hasSizeLessThanOrEqualTo(1);
      TestModels.copy(SAVED, models().resolve("m/123"));
      await(() -> http.send("GET", "/v2/models/m/ready", Buffer.buffer()).status() == 200);
      assertThat(http.send("POST", "/v1/models/m:predict", BODY).status()).isEqualTo(200);
      assertThat(http.send("GET", "/v1/models/other", Buffer.buffer()).status()).isEqualTo(404);
    } finally {
      log.detachAppender(lines);
    }
  }

  @Test
  void aModelWithoutAVersionIsUnavailableAndNotUnknown() throws Exception {
    Files.createDirectories(models().resolve("m"));
    try (var server = start();
        var http = new HttpCaller(server.port())) {
      retriesLater(http, "POST /v1/models/m:predict", 503);
      retriesLater(http, "GET /v2/models/m", 503);
      retriesLater(http, "GET /v2/models/m/ready", 400);
    }
  }

  @Test
  void aBrokenNewerVersionLeavesEveryProtocolReady() throws Exception {
    TestModels.copy(SAVED, models().resolve("m/1"));
    try (var server = start();
        var http = new HttpCaller(server.port())) {
      byte[] noise = new byte[10_000];
      new Random(2).nextBytes(noise);
      upload(2, "saved_model.pb", noise);
      await(() -> failed(server, 2));
      upload(3, "model.onnx", new byte[0]);
      await(() -> failed(server, 3));
      for (String path : List.of("/v2/health/ready", "/v2/models/m/ready", "/v2/models/m")) {
        assertThat(http.send("GET", path, Buffer.buffer()).status()).as(path).isEqualTo(200);
      }
      assertThat(http.send("GET", "/v1/models/m", Buffer.buffer()).text())
          .contains("\"ready\":true");
      grpc(server, StartingIT::isReady);
    }
  }

  @Test
  void aServerThatStartsWithABrokenNewestVersionIsNotReadyUntilThatIsDeleted() throws Exception {
    TestModels.copy(SAVED, models().resolve("m/1"));
    upload(2, "model.onnx", new byte[0]);
    try (var server = start();
        var http = new HttpCaller(server.port())) {
      await(() -> failed(server, 2));
      assertThat(http.send("GET", "/v2/health/ready", Buffer.buffer()).status()).isEqualTo(503);
      assertThat(http.send("POST", "/v1/models/m:predict", BODY).status()).isEqualTo(404);
      Files.delete(models().resolve("m/2/model.onnx"));
      Files.delete(models().resolve("m/2"));
      await(() -> http.send("GET", "/v2/health/ready", Buffer.buffer()).status() == 200);
      assertThat(http.send("POST", "/v1/models/m:predict", BODY).status()).isEqualTo(200);
    }
  }

  private void upload(int version, String name, byte[] bytes) throws IOException {
    Path folder = Files.createDirectories(models().resolve("m/" + version));
    Files.write(folder.resolve(name), bytes);
  }

  private static boolean failed(RunningServer server, long version) {
    return server.control().versions("m").orElse(List.of()).stream()
        .anyMatch(status -> isFailed(status, version));
  }

  private static boolean isFailed(VersionStatus status, long version) {
    return status.version() == version
        && status.state() == VersionState.END
        && status.error().isPresent();
  }

  private static void retriesLater(HttpCaller http, String request, int status) {
    int space = request.indexOf(' ');
    String method = request.substring(0, space);
    Buffer body = method.equals("GET") ? Buffer.buffer() : BODY;
    var headers = HttpHeaders.headers().add("Content-Type", "application/json");
    var answer = http.send(method, request.substring(space + 1), headers, body);
    assertThat(answer.status()).as("%s: %s", request, answer.text()).isEqualTo(status);
    assertThat(answer.headers().get("Retry-After")).as(request).isEqualTo("1");
  }

  private interface Check {
    void run(ManagedChannel channel);
  }

  private static void grpc(RunningServer server, Check check) {
    ManagedChannel channel =
        ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
    try {
      check.run(channel);
    } finally {
      channel.shutdownNow();
    }
  }

  private static void isUnavailable(ManagedChannel channel) {
    var oip = GRPCInferenceServiceGrpc.newBlockingStub(channel);
    var tfs = PredictionServiceGrpc.newBlockingStub(channel);
    var spec = ModelSpec.newBuilder().setName("m");
    retriesLater(() -> oip.modelInfer(ModelInferRequest.newBuilder().setModelName("m").build()));
    retriesLater(() -> oip.modelMetadata(ModelMetadataRequest.newBuilder().setName("m").build()));
    retriesLater(() -> oip.modelConfig(ModelConfigRequest.newBuilder().setName("m").build()));
    retriesLater(() -> tfs.predict(PredictRequest.newBuilder().setModelSpec(spec).build()));
    retriesLater(() ->
        tfs.getModelMetadata(
            GetModelMetadataRequest.newBuilder()
                .setModelSpec(spec)
                .addMetadataField("signature_def")
                .build()));
    retriesLater(() ->
        ModelServiceGrpc.newBlockingStub(channel)
            .getModelStatus(GetModelStatusRequest.newBuilder().setModelSpec(spec).build()));
    readiness(channel, false);
  }

  private static void retriesLater(Runnable call) {
    var failure = catchThrowableOfType(StatusRuntimeException.class, call::run);
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(Status.trailersFromThrowable(failure).get(PUSHBACK)).isEqualTo("1000");
  }

  private static void isReady(ManagedChannel channel) {
    readiness(channel, true);
  }

  private static void readiness(ManagedChannel channel, boolean expected) {
    var oip = GRPCInferenceServiceGrpc.newBlockingStub(channel);
    assertThat(oip.serverReady(ServerReadyRequest.getDefaultInstance()).getReady())
        .isEqualTo(expected);
    assertThat(oip.modelReady(ModelReadyRequest.newBuilder().setName("m").build()).getReady())
        .isEqualTo(expected);
    for (String name : List.of("", "inference.GRPCInferenceService")) {
      var request = HealthCheckRequest.newBuilder().setService(name).build();
      assertThat(
              ClientCalls.blockingUnaryCall(channel, HEALTH, CallOptions.DEFAULT, request)
                  .getStatus())
          .as("health of '%s'", name)
          .isEqualTo(expected ? ServingStatus.SERVING : ServingStatus.NOT_SERVING);
    }
  }

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("a minute is enough").isLessThan(end);
      Thread.onSpinWait();
    }
  }
}
