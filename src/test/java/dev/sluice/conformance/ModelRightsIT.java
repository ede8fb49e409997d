package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.UnknownFieldSet.Field;
import dev.sluice.config.security.PolicyConfig;
import dev.sluice.config.security.PolicyConfig.Role;
import dev.sluice.config.security.SecurityConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.testing.AnyListenerClient;
import dev.sluice.testing.BrpcClient;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.RawCalls;
import dev.sluice.testing.RunningServer;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Callers with rights to some models, by every protocol: no other model, and no trace of one. */
class ModelRightsIT {
  private static final String DENIED = "needs the role";
  private static final String INPUT =
      "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[1,2],\"data\":[1,2]}]}";

  @TempDir private static Path models;
  private static RunningServer server;
  private static ManagedChannel channel;

  @BeforeAll
  static void start() throws IOException {
    write("mine", new OnnxModelWriter().node("Add", "y", "x", "x"));
    write("secret", new OnnxModelWriter().node("Add", "y", "x", "x"));
    Files.writeString(
        Files.createDirectories(models.resolve("mine_chain")).resolve("model.yml"),
        """
        ensemble:
          steps:
            - { model: secret, inputs: { x: x }, outputs: { y: between } }
            - { model: secret, inputs: { x: between }, outputs: { y: y } }
        """);
    var wanted = new DesiredModels(models, Map.of());
    Set<Role> roles = EnumSet.of(Role.INFERENCE, Role.METADATA, Role.METRICS);
    var rule = new PolicyConfig(List.of("anonymous"), roles, List.of("mine*"), List.of());
    server =
        RunningServer.start(
            RunningServer.settings(
                    RunningServer.LISTENER, RepositoryConfig.of(wanted, Duration.ZERO))
                .with(new SecurityConfig(List.of(rule))));
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
  }

  private static void write(String name, OnnxModelWriter model) throws IOException {
    model
        .input("x", OnnxModelWriter.FLOAT, "rows", "2")
        .output("y", OnnxModelWriter.FLOAT, "rows", "2")
        .writeTo(Files.createDirectories(models.resolve(name).resolve("1")));
  }

  @AfterAll
  static void stop() {
    channel.shutdownNow();
    server.close();
  }

  private static final List<String> HTTP =
      List.of(
          "GET /v1/models/%s",
          "GET /v1/models/%s/metadata",
          "GET /v1/models/%s/versions/1",
          "GET /v1/models/%s/labels/x",
          "POST /v1/models/%s:predict",
          "POST /v1/models/%s:classify",
          "POST /v1/models/%s:regress",
          "POST /v1/models/%s:explain",
          "POST /v1/models/%s/versions/1:predict",
          "GET /v2/models/%s",
          "GET /v2/models/%s/versions/1",
          "GET /v2/models/%s/ready",
          "GET /v2/models/%s/versions/1/ready",
          "GET /v2/models/%s/config",
          "GET /v2/models/%s/stats",
          "POST /v2/models/%s/infer",
          "POST /v2/models/%s/versions/1/infer",
          "POST /v2/models/%s/generate",
          "POST /v2/models/%s/generate_stream",
          "POST /grps/v1/infer/predict?model=%s",
          "POST /grps/v1/infer/predict?model=%s-1",
          "POST /grps/v1/metadata/model");

  private static String askHttp(String route, String model) throws IOException {
    String[] parts = route.formatted(model).split(" ", 2);
    String body =
        route.endsWith("/metadata/model")
            ? "{\"str_data\":\"" + model + "\"}"
            : route.contains("/grps/") ? "{\"str_data\":\"x\"}" : INPUT;
    String path = parts[1].replace("?model=", "?return-type=json&model=");
    return AnyListenerClient.ask(server.port(), parts[0], path, body);
  }

  /** How the name of a model becomes a message, by method. */
  private static final Map<String, UnaryOperator<ByteString>> GRPC =
      Map.ofEntries(
          Map.entry("tensorflow.serving.PredictionService/Predict", ModelRightsIT::nested),
          Map.entry("tensorflow.serving.PredictionService/Classify", ModelRightsIT::withExamples),
          Map.entry("tensorflow.serving.PredictionService/Regress", ModelRightsIT::withExamples),
          Map.entry("tensorflow.serving.PredictionService/MultiInference", ModelRightsIT::tasks),
          Map.entry(
              "tensorflow.serving.PredictionService/GetModelMetadata",
              name -> nested(name).concat(field(2, ByteString.copyFromUtf8("signature_def")))),
          Map.entry("tensorflow.serving.ModelService/GetModelStatus", ModelRightsIT::nested),
          Map.entry("inference.GRPCInferenceService/ModelReady", ModelRightsIT::first),
          Map.entry("inference.GRPCInferenceService/ModelMetadata", ModelRightsIT::first),
          Map.entry("inference.GRPCInferenceService/ModelConfig", ModelRightsIT::first),
          Map.entry("inference.GRPCInferenceService/ModelStatistics", ModelRightsIT::first),
          Map.entry("inference.GRPCInferenceService/ModelInfer", ModelRightsIT::first),
          Map.entry("inference.GRPCInferenceService/ModelStreamInfer", ModelRightsIT::first),
          Map.entry("grps.protos.v1.GrpsService/Predict", ModelRightsIT::grps),
          Map.entry("grps.protos.v1.GrpsService/PredictStreaming", ModelRightsIT::grps),
          Map.entry("grps.protos.v1.GrpsService/ModelMetadata", name -> field(4, name)));

  private static ByteString first(ByteString name) {
    return field(1, name);
  }

  private static ByteString nested(ByteString name) {
    return field(1, first(name));
  }

  private static ByteString withExamples(ByteString name) {
    return nested(name).concat(field(2, field(1, field(1, ByteString.EMPTY))));
  }

  private static ByteString tasks(ByteString name) {
    ByteString method = field(2, ByteString.copyFromUtf8("tensorflow/serving/classify"));
    return field(1, nested(name).concat(method))
        .concat(field(2, field(1, field(1, ByteString.EMPTY))));
  }

  private static ByteString grps(ByteString name) {
    return field(2, name).concat(field(4, ByteString.copyFromUtf8("x")));
  }

  private static ByteString field(int number, ByteString value) {
    return UnknownFieldSet.newBuilder()
        .addField(number, Field.newBuilder().addLengthDelimited(value).build())
        .build()
        .toByteString();
  }

  private static String askGrpc(String method, String model) {
    ByteString name = ByteString.copyFromUtf8(model);
    byte[] message = Objects.requireNonNull(GRPC.get(method)).apply(name).toByteArray();
    return RawCalls.call(channel, method, message).text();
  }

  private static String askBrpc(String method, String model) throws IOException {
    ByteString name = ByteString.copyFromUtf8(model);
    byte[] message = (method.equals("Predict") ? grps(name) : field(4, name)).toByteArray();
    try (var client = new BrpcClient(server.port())) {
      var call = new BrpcClient.Call("grps.protos.v1.GrpsBrpcService", method, 1);
      BrpcClient.Answer reply = client.ask(call, message);
      return reply.errorText() + reply.text();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"secret", "nothere"})
  void otherModelsAreRefusedByEveryProtocolWhetherTheyAreThereOrNot(String model)
      throws IOException {
    List<String> wrong = new ArrayList<>();
    for (String route : HTTP) {
      String answer = askHttp(route, model);
      if (!answer.startsWith("HTTP/1.1 403 ") || !answer.contains(DENIED)) {
        wrong.add(route + ": " + answer);
      }
    }
    for (String method : GRPC.keySet()) {
      String answer = askGrpc(method, model);
      if (!answer.contains(DENIED)) {
        wrong.add(method + ": " + answer);
      }
    }
    for (String answer : List.of(askBrpc("Predict", model), askBrpc("ModelMetadata", model))) {
      if (!answer.contains(DENIED)) {
        wrong.add("brpc: " + answer);
      }
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void ownModelsAreNotRefused() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (String route : HTTP) {
      String answer = askHttp(route, "mine");
      if (answer.contains(DENIED)) {
        wrong.add(route + ": " + answer);
      }
    }
    for (String method : GRPC.keySet()) {
      String answer = askGrpc(method, "mine");
      if (answer.contains(DENIED)) {
        wrong.add(method + ": " + answer);
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(askBrpc("Predict", "mine")).doesNotContain(DENIED);
    assertThat(askBrpc("ModelMetadata", "mine-1")).contains("inferer_type");
    assertThat(askHttp("POST /v2/models/%s/infer", "mine")).contains("\"data\":[2.0,4.0]");
  }

  @Test
  void anEnsembleAsksItsMembersWithTheServersRight() throws IOException {
    assertThat(askHttp("POST /v2/models/%s/infer", "mine_chain")).contains("\"data\":[4.0,8.0]");
  }

  @Test
  void listsShowOnlyOwnModels() throws IOException {
    List<String> lists = new ArrayList<>();
    for (String route :
        List.of(
            "GET /v1/models",
            "GET /v2/models",
            "GET /v2/models/stats",
            "POST /v2/repository/index")) {
      lists.add(askHttp(route, ""));
    }
    lists.add(askGrpc("inference.GRPCInferenceService/ModelStatistics", ""));
    lists.add(
        RawCalls.call(channel, "inference.GRPCInferenceService/RepositoryIndex", new byte[0])
            .text());
    assertThat(lists)
        .allSatisfy(
            list -> assertThat(list).contains("mine", "mine_chain").doesNotContain("secret"));
  }

  @Test
  void whatNamesNoModelNamesNoOthersInItsAnswer() throws IOException {
    assertThat(askBrpc("Predict", "")).contains("mine").doesNotContain("secret");
    assertThat(askHttp("POST /grps/v1/infer/predict?model=%s", ""))
        .contains("mine")
        .doesNotContain("secret");
  }

  @Test
  void whatConcernsNoModelIsRefused() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (String route :
        List.of(
            "GET /v2", "GET /metrics", "GET /v2/health/ready", "GET /grps/v1/metadata/server")) {
      String answer = askHttp(route, "");
      if (!answer.startsWith("HTTP/1.1 403 ")) {
        wrong.add(route + ": " + answer);
      }
    }
    assertThat(wrong).isEmpty();
  }
}
