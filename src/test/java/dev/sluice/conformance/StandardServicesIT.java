package dev.sluice.conformance;

import static io.vertx.grpc.health.v1.HealthCheckResponse.ServingStatus.NOT_SERVING;
import static io.vertx.grpc.health.v1.HealthCheckResponse.ServingStatus.SERVICE_UNKNOWN;
import static io.vertx.grpc.health.v1.HealthCheckResponse.ServingStatus.SERVING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.Message;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.security.ControlAccess;
import dev.sluice.config.server.ControlConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig.Protocol;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.Polling;
import dev.sluice.testing.RawHttp2;
import dev.sluice.testing.RawHttp2.Frame;
import dev.sluice.testing.RunningServer;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.health.v1.HealthCheckRequest;
import io.vertx.grpc.health.v1.HealthCheckResponse;
import io.vertx.grpc.reflection.v1.ListServiceResponse;
import io.vertx.grpc.reflection.v1.ServerReflectionRequest;
import io.vertx.grpc.reflection.v1.ServerReflectionResponse;
import io.vertx.grpc.reflection.v1.ServiceResponse;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Health and reflection, as gRPC's own tools ask for them. */
@Timeout(60)
class StandardServicesIT {
  private static final String SERVICE = "inference.GRPCInferenceService";
  private static final String GRPS = "grps.protos.v1.GrpsService";

  @TempDir Path models;
  private RunningServer server;
  private ManagedChannel channel;

  @BeforeEach
  void start() throws IOException {
    Path version = Files.createDirectories(models.resolve("good/1"));
    Files.copy(Path.of("src/test/models/oip/addsub/1/model.onnx"), version.resolve("model.onnx"));
    Files.createDirectories(models.resolve("broken/1"));
    Files.writeString(models.resolve("broken/1/model.onnx"), "broken");
    server =
        RunningServer.start(SluiceConfig.DEFAULT.with(List.of(RunningServer.LISTENER), good()));
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
  }

  private RepositoryConfig good() {
    return RepositoryConfig.of(new DesiredModels(models, Map.of()), Duration.ZERO)
        .withControl(new ControlConfig(ControlConfig.Mode.EXPLICIT, Set.of("good"), true));
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.close();
  }

  private static <Q extends Message, A extends Message> MethodDescriptor<Q, A> method(
      MethodType type, String name, Q request, A answer) {
    return MethodDescriptor.<Q, A>newBuilder()
        .setType(type)
        .setFullMethodName(name)
        .setRequestMarshaller(ProtoUtils.marshaller(request))
        .setResponseMarshaller(ProtoUtils.marshaller(answer))
        .build();
  }

  private static MethodDescriptor<HealthCheckRequest, HealthCheckResponse> health(
      MethodType type, String name) {
    return method(
        type,
        "grpc.health.v1.Health/" + name,
        HealthCheckRequest.getDefaultInstance(),
        HealthCheckResponse.getDefaultInstance());
  }

  private static HealthCheckRequest of(String service) {
    return HealthCheckRequest.newBuilder().setService(service).build();
  }

  private HealthCheckResponse check(String service) {
    return ClientCalls.blockingUnaryCall(
        channel, health(MethodType.UNARY, "Check"), CallOptions.DEFAULT, of(service));
  }

  private Iterator<HealthCheckResponse> watch(String service) {
    return ClientCalls.blockingServerStreamingCall(
        channel, health(MethodType.SERVER_STREAMING, "Watch"), CallOptions.DEFAULT, of(service));
  }

  private void control(String what) {
    try (var caller = new HttpCaller(server.port())) {
      caller.send("POST", "/v2/repository/models/broken/" + what, Buffer.buffer());
    }
  }

  @Test
  void serverAndItsServicesAreHealthyAndOthersUnknown() {
    assertThat(check("").getStatus()).isEqualTo(SERVING);
    assertThat(check(SERVICE).getStatus()).isEqualTo(SERVING);
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(() -> check("nope"))
        .extracting(failure -> failure.getStatus().getCode())
        .isEqualTo(Status.Code.NOT_FOUND);
    control("load");
    assertThat(check(SERVICE).getStatus()).isEqualTo(NOT_SERVING);
  }

  @Test
  void grpsIsHealthyWhileItIsOnline() {
    online("online");
    assertThat(check(GRPS).getStatus()).isEqualTo(SERVING);
    Iterator<HealthCheckResponse> changes = watch(GRPS);
    assertThat(changes.next().getStatus()).isEqualTo(SERVING);
    online("offline");
    assertThat(check(GRPS).getStatus()).isEqualTo(NOT_SERVING);
    assertThat(changes.next().getStatus()).isEqualTo(NOT_SERVING);
    assertThat(check("").getStatus()).as("other protocols are served").isEqualTo(SERVING);
    online("online");
    assertThat(changes.next().getStatus()).isEqualTo(SERVING);
  }

  @ParameterizedTest
  @ValueSource(strings = {"GRPS", "GRPS BRPC METRICS"})
  void aListenerForGrpsAloneIsHealthyWhileItIsOnline(String protocols) {
    channel.shutdownNow();
    server.close();
    Set<Protocol> carried =
        Stream.of(protocols.split(" ")).map(Protocol::valueOf).collect(Collectors.toSet());
    server =
        RunningServer.start(
            RunningServer.settings(
                RunningServer.listener(carried).with(ControlAccess.OPEN), good()));
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
    online("online");
    Polling.await("its models are loaded", () -> check("").getStatus() == SERVING);
    online("offline");
    assertThat(check("").getStatus()).isEqualTo(NOT_SERVING);
    assertThat(watch("").next().getStatus()).isEqualTo(NOT_SERVING);
  }

  private void online(String what) {
    try (var caller = new HttpCaller(server.port())) {
      assertThat(caller.send("GET", "/grps/v1/health/" + what, Buffer.buffer()).status())
          .isEqualTo(200);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", SERVICE})
  void watchersGetEveryChange(String service) {
    Iterator<HealthCheckResponse> changes = watch(service);
    assertThat(changes.next().getStatus()).isEqualTo(SERVING);
    control("load");
    assertThat(changes.next().getStatus()).isEqualTo(NOT_SERVING);
    control("unload");
    assertThat(changes.next().getStatus()).isEqualTo(SERVING);
  }

  @Test
  void watchersAreEndedWhenTheServerStopsAndDoNotHoldIt() {
    Iterator<HealthCheckResponse> changes = watch("");
    assertThat(changes.next().getStatus()).isEqualTo(SERVING);
    server.close();
    List<HealthCheckResponse.ServingStatus> last = new ArrayList<>();
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(() -> changes.forEachRemaining(change -> last.add(change.getStatus())))
        .extracting(failure -> failure.getStatus().getCode())
        .isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(last).last().isEqualTo(NOT_SERVING);
  }

  @Test
  void watchingAnUnknownServiceReportsSo() {
    assertThat(watch("nope").next().getStatus()).isEqualTo(SERVICE_UNKNOWN);
  }

  /** The first byte of a message says that it is compressed, and no header says how. */
  @ParameterizedTest
  @ValueSource(strings = {"Check", "Watch"})
  void messageOfAnUnknownCompressionResetsItsStreamAlone(String method) throws IOException {
    byte[] message = {1, 0, 0, 0, 2, 10, 0};
    try (var socket = new Socket("localhost", server.port())) {
      socket
          .getOutputStream()
          .write(
              RawHttp2.joined(
                  RawHttp2.PREFACE,
                  RawHttp2.SETTINGS,
                  RawHttp2.headers(1, "/grpc.health.v1.Health/" + method),
                  RawHttp2.frame(RawHttp2.DATA, RawHttp2.END_STREAM, 1, message)));
      assertThat(nextOf(RawHttp2.RST_STREAM, socket)).isEqualTo(1);
      socket.getOutputStream().write(RawHttp2.frame(RawHttp2.PING, 0, 0, new byte[8]));
      assertThat(nextOf(RawHttp2.PING, socket)).isZero();
    }
    assertThat(check("").getStatus()).isEqualTo(SERVING);
  }

  /** Reads frames until one of this type comes, and returns its stream. */
  private static int nextOf(int type, Socket socket) throws IOException {
    return Frame.await(new DataInputStream(socket.getInputStream()), type).stream();
  }

  @ParameterizedTest
  @ValueSource(strings = {"v1", "v1alpha"})
  void reflectionTellsOfTheServices(String version) {
    var method =
        method(
            MethodType.BIDI_STREAMING,
            "grpc.reflection." + version + ".ServerReflection/ServerReflectionInfo",
            ServerReflectionRequest.getDefaultInstance(),
            ServerReflectionResponse.getDefaultInstance());
    ListServiceResponse services =
        ask(method, ServerReflectionRequest.newBuilder().setListServices("").build())
            .getListServicesResponse();
    assertThat(services.getServiceList().stream().map(ServiceResponse::getName))
        .contains(SERVICE, "tensorflow.serving.PredictionService", "grpc.health.v1.Health");
    ServerReflectionResponse file =
        ask(
            method,
            ServerReflectionRequest.newBuilder()
                .setFileContainingSymbol(SERVICE + ".ModelInfer")
                .build());
    assertThat(file.getFileDescriptorResponse().getFileDescriptorProtoCount()).isPositive();
  }

  private ServerReflectionResponse ask(
      MethodDescriptor<ServerReflectionRequest, ServerReflectionResponse> method,
      ServerReflectionRequest request) {
    var call = channel.newCall(method, CallOptions.DEFAULT);
    return ClientCalls.blockingServerStreamingCall(call, request).next();
  }
}
