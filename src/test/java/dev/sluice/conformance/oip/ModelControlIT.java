package dev.sluice.conformance.oip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.security.ControlAccess;
import dev.sluice.config.server.ControlConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.ListenerConfig.Protocol;
import dev.sluice.config.server.ListenerConfig.V1Dialect;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub;
import dev.sluice.protocol.oip.grpc.proto.ModelReadyRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelRepositoryParameter;
import dev.sluice.protocol.oip.grpc.proto.RepositoryIndexRequest;
import dev.sluice.protocol.oip.grpc.proto.RepositoryModelLoadRequest;
import dev.sluice.protocol.oip.grpc.proto.RepositoryModelLoadResponse;
import dev.sluice.protocol.oip.grpc.proto.RepositoryModelUnloadRequest;
import dev.sluice.protocol.oip.grpc.proto.RepositoryModelUnloadResponse;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.Mutations;
import dev.sluice.testing.OipCase;
import dev.sluice.testing.RawCalls;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.StepModels;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Models that are loaded and unloaded by name. */
class ModelControlIT {
  private static final Path ADDSUB = Path.of("src/test/models/oip/addsub/1/model.onnx");

  private static final byte[] SERVING = {8, 1};
  private static final byte[] NOT_SERVING = {8, 2};

  private static final Buffer NOTHING = Buffer.buffer();

  @TempDir Path models;
  private Set<Path> temporary = Set.of();

  @BeforeEach
  void count() throws IOException {
    temporary = temporary();
  }

  @AfterEach
  void nothingIsLeft() throws IOException {
    // A server that starts deletes what killed ones left.
    assertThat(temporary).containsAll(temporary());
  }

  private static Set<Path> temporary() throws IOException {
    try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      return Set.copyOf(
          files.filter(file -> file.getFileName().toString().startsWith("sluice-model-")).toList());
    }
  }

  private static RunningServer start(List<Path> directories, String... load) {
    return start(RunningServer.LISTENER, directories, load);
  }

  private static RunningServer start(
      ListenerConfig listener, List<Path> directories, String... load) {
    var repository =
        RepositoryConfig.of(new DesiredModels(directories, Map.of()), Duration.ofMillis(1))
            .withControl(new ControlConfig(ControlConfig.Mode.EXPLICIT, Set.of(load), true));
    return RunningServer.start(SluiceConfig.DEFAULT.with(List.of(listener), repository));
  }

  @TestFactory
  Stream<DynamicTest> recordedRequests() {
    var server =
        start(List.of(Path.of("src/test/models/oip_ensembles"), Path.of("src/test/models/oip")));
    return OipCase.tests("model-control", server.url()).stream().onClose(server::close);
  }

  private void addsub(String name) throws IOException {
    Path version = Files.createDirectories(models.resolve(name).resolve("1"));
    Files.copy(ADDSUB, version.resolve("model.onnx"));
  }

  @Test
  void modelsNamedAtTheStartAreServedAndNoOthers() throws IOException {
    addsub("a");
    addsub("b");
    try (var server = start(List.of(models), "a")) {
      assertThat(server.control().models()).containsExactly("a");
    }
    try (var server = start(List.of(models), "*")) {
      assertThat(server.control().models()).containsExactly("a", "b");
    }
  }

  @Test
  void failedReloadLeavesTheOldVersionServingAndIsReported() throws IOException {
    addsub("a");
    try (var server = start(List.of(models), "a");
        var caller = new HttpCaller(server.port())) {
      Path file = models.resolve("a/1/model.onnx");
      byte[] good = Files.readAllBytes(file);
      Files.writeString(file, "broken");
      assertThat(post(caller, "a/load"))
          .startsWith("400 {\"error\":\"load failed for model 'a': version 1 is at UNAVAILABLE");
      assertThat(caller.send("GET", "/v2/models/a/ready", Buffer.buffer()).status()).isEqualTo(200);
      assertThat(post(caller, "a/load")).as("it is tried again").startsWith("400");
      Files.write(file, good);
      assertThat(post(caller, "a/load")).isEqualTo("200 ");
    }
  }

  @Test
  void onlyTheModelThatIsLoadedIsLookedAt() throws IOException {
    addsub("a");
    addsub("b");
    try (var server = start(List.of(models), "*");
        var caller = new HttpCaller(server.port())) {
      Files.writeString(models.resolve("a/1/model.onnx"), "broken");
      Files.setLastModifiedTime(
          models.resolve("b/1/model.onnx"), FileTime.from(Instant.EPOCH.plusSeconds(1)));
      assertThat(post(caller, "b/load")).isEqualTo("200 ");
      assertThat(server.control().versions("a").orElseThrow().getFirst().error()).isEmpty();
    }
  }

  @Test
  void brokenSettingsAreReportedAndTheEarlierOnesStay() throws IOException {
    addsub("a");
    try (var server = start(List.of(models), "a");
        var caller = new HttpCaller(server.port())) {
      Files.writeString(models.resolve("a/config.pbtxt"), "max_batch_size: many");
      assertThat(post(caller, "a/load")).startsWith("400").contains("max_batch_size");
      assertThat(server.control().ready()).isTrue();
      Files.writeString(models.resolve("a/config.pbtxt"), "max_batch_size: 2");
      assertThat(post(caller, "a/load")).isEqualTo("200 ");
      assertThat(caller.send("GET", "/v2/models/a/config", Buffer.buffer()).text())
          .contains("\"max_batch_size\":2,");
    }
  }

  private static String post(HttpCaller caller, String path) {
    var answer = caller.send("POST", "/v2/repository/models/" + path, Buffer.buffer());
    return answer.status() + " " + answer.text();
  }

  /** A listener as that of KServe's own server. */
  private RunningServer startAsKserve() {
    var kserve =
        new ListenerConfig(
            "localhost",
            0,
            Set.of(Protocol.OIP),
            V1Dialect.KSERVE,
            "/metrics",
            ControlAccess.OPEN,
            false,
            ListenerConfig.DEFAULT.tls());
    return start(kserve, List.of(models));
  }

  @Test
  void kserveIsAnsweredInItsOwnForm() throws IOException {
    addsub("a");
    addsub("broken");
    Files.writeString(models.resolve("broken/1/model.onnx"), "broken");
    try (var server = startAsKserve();
        var caller = new HttpCaller(server.port())) {
      assertThat(post(caller, "a/load")).isEqualTo("200 {\"name\":\"a\",\"load\":true}");
      assertThat(post(caller, "a/unload")).isEqualTo("200 {\"name\":\"a\",\"unload\":true}");
      assertThat(post(caller, "broken/load"))
          .startsWith(
              "503 {\"error\":\"Model with name broken is not ready. Error type: INVALID_ARGUMENT"
                  + " error msg: load failed for model 'broken': version 1");
      assertThat(post(caller, "nope/load"))
          .startsWith("503 {\"error\":\"Model with name nope is not ready. Error type: ");
      assertThat(post(caller, "nope/unload"))
          .isEqualTo("404 {\"error\":\"Model with name nope does not exist.\"}");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"addsub", "chat", "digits", "half_plus_two", "types", "writer"})
  void theConfigurationThatAModelShowsCanBeLoaded(String model) {
    requireRoundTrip(Path.of("src/sample/models"), model, "\"text\": \"My dear Mr. \"");
  }

  @Test
  void theConfigurationOfAGeneratorOfTokensCanBeLoaded() throws IOException {
    StepModels.decoder(models, "decoder", "");
    requireRoundTrip(models, "decoder", "\"ids\": [1, 2]");
  }

  private static void requireRoundTrip(Path folder, String model, String prompt) {
    try (var server = start(List.of(folder), model);
        var caller = new HttpCaller(server.port())) {
      String before = inputs(caller, model);
      String config = caller.send("GET", "/v2/models/" + model + "/config", NOTHING).text();
      JsonObject load = new JsonObject().put("parameters", new JsonObject().put("config", config));
      var answer = caller.send("POST", "/v2/repository/models/" + model + "/load", load.toBuffer());
      assertThat(answer.status()).as(answer.text()).isEqualTo(200);
      assertThat(inputs(caller, model)).isEqualTo(before);
      assertThat(caller.send("GET", "/v2/models/" + model + "/config", NOTHING).text())
          .isEqualTo(config);
      if (config.contains("\"decoupled\":true")) {
        var said = Buffer.buffer("{" + prompt + ", \"max_tokens\": 4}");
        var generated = caller.send("POST", "/v2/models/" + model + "/generate_stream", said);
        assertThat(generated.text().split("data:")).as(generated.text()).hasSize(5);
      }
    }
  }

  private static String inputs(HttpCaller caller, String model) {
    return caller.send("GET", "/v2/models/" + model, NOTHING).text();
  }

  @Test
  void kservesMessagesAreTakenOnEveryListener() throws IOException {
    addsub("a");
    try (var server = start(List.of(models));
        var grpc = new Client(server)) {
      byte[] loaded =
          grpc.stub
              .repositoryModelLoad(
                  RepositoryModelLoadRequest.newBuilder().setRepositoryName("a").build())
              .toByteArray();
      assertThat(loaded).as("model_name = 1, isLoaded = 2").containsExactly(10, 1, 'a', 16, 1);
      assertThat(grpc.ready("a")).isTrue();
      var unload = RepositoryModelUnloadRequest.newBuilder().setRepositoryName("a");
      assertThat(grpc.stub.repositoryModelUnload(unload.build()).toByteArray())
          .containsExactly(10, 1, 'a', 16, 1);
      assertFails(
          Status.Code.UNIMPLEMENTED,
          "'repository_name' specification is not supported",
          () -> grpc.stub.repositoryModelUnload(unload.setModelName("a").build()));
    }
  }

  @Test
  void kserveIsAnsweredInItsOwnFormOverGrpc() throws IOException {
    addsub("a");
    try (var server = startAsKserve();
        var grpc = new Client(server)) {
      var load = RepositoryModelLoadRequest.newBuilder().setRepositoryName("a").build();
      byte[] loaded = grpc.stub.repositoryModelLoad(load).toByteArray();
      assertThat(loaded).as("model_name = 1, isLoaded = 2").containsExactly(10, 1, 'a', 16, 1);
      assertThat(grpc.ready("a")).isTrue();
      var unload = RepositoryModelUnloadRequest.newBuilder().setRepositoryName("a").build();
      byte[] unloaded = grpc.stub.repositoryModelUnload(unload).toByteArray();
      assertThat(unloaded).as("model_name = 1, isUnloaded = 2").containsExactly(10, 1, 'a', 16, 1);
      assertFails(
          Status.Code.NOT_FOUND,
          "Model with name nope does not exist.",
          () ->
              grpc.stub.repositoryModelUnload(
                  RepositoryModelUnloadRequest.newBuilder().setRepositoryName("nope").build()));
      assertFails(
          Status.Code.UNAVAILABLE,
          "Model with name nope is not ready. Error type: ",
          () ->
              grpc.stub.repositoryModelLoad(
                  RepositoryModelLoadRequest.newBuilder().setRepositoryName("nope").build()));
      assertFails(
          Status.Code.NOT_FOUND,
          "Request for unknown model: 'nope' is not found",
          () -> grpc.ready("nope"));
      assertThat(grpc.load("a", Map.of()))
          .as("Triton's form has Triton's answer")
          .isEqualTo(RepositoryModelLoadResponse.getDefaultInstance());
    }
  }

  @Test
  void anUnknownModelIsNotReadyOnOtherListeners() throws IOException {
    addsub("a");
    try (var server = start(List.of(models), "a");
        var grpc = new Client(server)) {
      assertThat(grpc.ready("nope")).isFalse();
      var version = ModelReadyRequest.newBuilder().setName("a").setVersion("7").build();
      assertThat(grpc.stub.modelReady(version).getReady()).isFalse();
      assertFails(
          Status.Code.INVALID_ARGUMENT,
          "failed to get model version from specified version string 'x'",
          () -> grpc.stub.modelReady(version.toBuilder().setVersion("x").build()));
    }
  }

  @Test
  void filesThatComeWithALoadArePrivate() throws IOException {
    try (var server = start(List.of(models));
        var grpc = new Client(server)) {
      grpc.load(
          "m",
          Map.of(
              "config", text("{}"),
              "file:1/model.onnx", bytes(Files.readAllBytes(ADDSUB))));
      assertThat(grpc.ready("m")).isTrue();
      Path folder =
          temporary().stream().filter(path -> !temporary.contains(path)).findFirst().orElseThrow();
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
          .isEqualTo("rwx------");
      grpc.unload("m", Map.of());
      assertThat(folder).doesNotExist();
      grpc.load(
          "m",
          Map.of(
              "config", text("{}"),
              "file:1/model.onnx", bytes(Files.readAllBytes(ADDSUB))));
    }
  }

  @Test
  void damagedLoadRequestsAreAnsweredAndLeaveNothing() throws IOException {
    String file = Base64.getEncoder().encodeToString(Files.readAllBytes(ADDSUB));
    byte[] whole =
        """
        {"parameters":{"config":"{\\"max_batch_size\\":8,\\"instance_group\\":[{\\"count\\":1}]}",\
        "file:1/model.onnx":"%s"}}\
        """
            .formatted(file)
            .getBytes(StandardCharsets.UTF_8);
    var mutations = new Mutations(11);
    try (var server = start(List.of(models));
        var caller = new HttpCaller(server.port())) {
      for (int i = 0; i < 300; i++) {
        byte[] body = mutations.damage(whole);
        var answer = caller.send("POST", "/v2/repository/models/damaged/load", Buffer.buffer(body));
        assertThat(answer.status()).as(answer.text()).isIn(200, 400);
      }
      assertThat(post(caller, "damaged/unload")).isEqualTo("200 ");
      server.awaitReconciled();
    }
  }

  @Test
  void overGrpc() throws IOException {
    addsub("a");
    try (var server = start(List.of(models));
        var grpc = new Client(server)) {
      assertThat(grpc.load("a", Map.of()))
          .isEqualTo(RepositoryModelLoadResponse.getDefaultInstance());
      assertThat(grpc.ready("a")).isTrue();
      assertThat(
              grpc.stub
                  .repositoryIndex(RepositoryIndexRequest.newBuilder().setReady(true).build())
                  .getModelsList())
          .hasSize(1);
      assertFails(
          Status.Code.INVALID_ARGUMENT,
          "unrecognized load parameter 'x'.",
          () -> grpc.load("a", Map.of("x", text("y"))));
      assertFails(
          Status.Code.INVALID_ARGUMENT,
          "invalid value type for 'config' parameter, expected string_param.",
          () -> grpc.load("a", Map.of("config", bytes(new byte[0]))));
      assertFails(
          Status.Code.INVALID_ARGUMENT,
          "invalid value type for 'unload_dependents' parameter, expected bool_param.",
          () -> grpc.unload("a", Map.of("unload_dependents", text("true"))));
      assertFails(
          Status.Code.INVALID_ARGUMENT,
          "unrecognized unload parameter 'x'.",
          () -> grpc.unload("a", Map.of("x", text("true"))));
      assertFails(
          Status.Code.UNIMPLEMENTED,
          "'repository_name' specification is not supported",
          () ->
              grpc.stub.repositoryIndex(
                  RepositoryIndexRequest.newBuilder().setRepositoryName("r").build()));
      assertThat(grpc.unload("a", Map.of()))
          .isEqualTo(RepositoryModelUnloadResponse.getDefaultInstance());
      assertThat(grpc.ready("a")).isFalse();
    }
  }

  @Test
  void serverIsNotServingWhileAModelHasFailed() throws IOException {
    addsub("a");
    Files.createDirectories(models.resolve("broken/1"));
    Files.writeString(models.resolve("broken/1/model.onnx"), "broken");
    try (var server = start(List.of(models), "a");
        var grpc = new Client(server)) {
      assertThat(grpc.health()).isEqualTo(SERVING);
      assertFails(Status.Code.INVALID_ARGUMENT, "load failed", () -> grpc.load("broken", Map.of()));
      assertThat(grpc.health()).isEqualTo(NOT_SERVING);
      grpc.unload("broken", Map.of());
      assertThat(grpc.health()).isEqualTo(SERVING);
    }
  }

  private static ModelRepositoryParameter text(String value) {
    return ModelRepositoryParameter.newBuilder().setStringParam(value).build();
  }

  private static ModelRepositoryParameter bytes(byte[] value) {
    return ModelRepositoryParameter.newBuilder().setBytesParam(ByteString.copyFrom(value)).build();
  }

  private static void assertFails(Status.Code code, String text, ThrowingCallable call) {
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(call)
        .withMessageContaining(text)
        .extracting(failure -> failure.getStatus().getCode())
        .isEqualTo(code);
  }

  /** A gRPC client of a server. */
  private static final class Client implements AutoCloseable {
    private final ManagedChannel channel;
    private final GRPCInferenceServiceBlockingStub stub;

    Client(RunningServer server) {
      channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
      stub = GRPCInferenceServiceGrpc.newBlockingStub(channel);
    }

    RepositoryModelLoadResponse load(
        String model, Map<String, ModelRepositoryParameter> parameters) {
      return stub.repositoryModelLoad(
          RepositoryModelLoadRequest.newBuilder()
              .setModelName(model)
              .putAllParameters(parameters)
              .build());
    }

    RepositoryModelUnloadResponse unload(
        String model, Map<String, ModelRepositoryParameter> parameters) {
      return stub.repositoryModelUnload(
          RepositoryModelUnloadRequest.newBuilder()
              .setModelName(model)
              .putAllParameters(parameters)
              .build());
    }

    boolean ready(String model) {
      return stub.modelReady(ModelReadyRequest.newBuilder().setName(model).build()).getReady();
    }

    /** The answer to a health check: its field {@code status}. */
    byte[] health() {
      return RawCalls.send(channel, "grpc.health.v1.Health/Check", new byte[0]);
    }

    @Override
    public void close() {
      channel.shutdownNow();
    }
  }
}
