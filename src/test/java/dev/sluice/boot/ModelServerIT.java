package dev.sluice.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import dev.sluice.boot.compat.CompatFlags;
import dev.sluice.boot.compat.ServingFlag;
import dev.sluice.boot.compat.ServingSettings;
import dev.sluice.config.SluiceConfig;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.ServerLiveRequest;
import dev.sluice.protocol.tfs.grpc.proto.DataType;
import dev.sluice.protocol.tfs.grpc.proto.ModelConfig;
import dev.sluice.protocol.tfs.grpc.proto.ModelConfigList;
import dev.sluice.protocol.tfs.grpc.proto.ModelServerConfig;
import dev.sluice.protocol.tfs.grpc.proto.ModelServiceGrpc;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.PredictionServiceGrpc;
import dev.sluice.protocol.tfs.grpc.proto.ReloadConfigRequest;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.proto.TensorShapeProto;
import dev.sluice.testing.ConformanceCase;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers started by flags of {@code tensorflow_model_server}, with real clients. */
@SuppressWarnings("NullAway.Init") // each test serves before it asks
class ModelServerIT {
  private static final String HALF = "half_plus_two";
  private static final int LIMIT = 8 << 20;
  private static final Map<String, String> LIMITED =
      Map.of("SLUICE_LIMITS_MAX_BODY_SIZE", LIMIT + "");

  @TempDir private Path folder;
  private RunningServer server;
  private HttpCaller caller;
  private ManagedChannel channel;

  private void serve(Map<String, String> environment, String... flags) {
    var parsed = CompatFlags.parse(ServingFlag.class, List.of(flags));
    SluiceConfig read = new ServingSettings(parsed, environment, _ -> {}).read();
    var free = read.listeners().stream().map(listener -> listener.withPort(0)).toList();
    server = RunningServer.start(read.with(free, read.repository()));
    caller = new HttpCaller(server.port());
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
  }

  private void serveHalf(Map<String, String> environment, String... flags) {
    List<String> all =
        new ArrayList<>(List.of("--model_name=" + HALF, "--model_base_path=" + savedModel(HALF)));
    all.addAll(List.of(flags));
    serve(environment, all.toArray(String[]::new));
  }

  private static Path savedModel(String name) {
    return TestModels.savedModel(name, "");
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    caller.close();
    server.close();
  }

  @Test
  void portsOfThatCommandAnswerAsRecorded() throws IOException {
    String models =
        """
        model_config_list {
          config { name: "half_plus_two" base_path: "%s" model_platform: "tensorflow" }
          config { name: "half_plus_three" base_path: "%s" model_platform: "tensorflow" }
        }
        """
            .formatted(savedModel(HALF), savedModel("half_plus_three"));
    Path config = Files.writeString(folder.resolve("models"), models);
    Path metrics =
        Files.writeString(folder.resolve("metrics"), "prometheus_config { enable: true }");
    serve(
        Map.of(),
        "--port=0",
        "--rest_api_port=8501",
        "--model_config_file=" + config,
        "--monitoring_config_file=" + metrics);
    ConformanceCase.of("tfs/model-server").forEach(each -> each.replay(caller));
  }

  @Test
  void otherProtocolsAreNotThereUnlessTheyAreAskedFor() {
    serveHalf(Map.of());
    assertThat(get("/v2/models/" + HALF)).isEqualTo(404);
    assertThat(get("/grps/v1/health/live")).isEqualTo(404);
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(() ->
            GRPCInferenceServiceGrpc.newBlockingStub(channel)
                .serverLive(ServerLiveRequest.getDefaultInstance()))
        .matches(failure -> failure.getStatus().getCode() == Status.Code.UNIMPLEMENTED);
  }

  @Test
  void protocolsThatAreAskedForAreThere() {
    serveHalf(Map.of(), "--protocols=oip,grps");
    assertThat(get("/v2/models/" + HALF)).isEqualTo(200);
    assertThat(get("/grps/v1/health/live")).isEqualTo(200);
    assertThat(
            GRPCInferenceServiceGrpc.newBlockingStub(channel)
                .serverLive(ServerLiveRequest.getDefaultInstance())
                .getLive())
        .isTrue();
  }

  private int get(String path) {
    return caller.send("GET", path, Buffer.buffer()).status();
  }

  @Test
  void aReloadIsRefusedWithTheFlagThatAllowsIt() {
    serveHalf(Map.of());
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(this::reload)
        .matches(failure -> failure.getStatus().getCode() == Status.Code.PERMISSION_DENIED);
  }

  @Test
  void aReloadWorksWithOneFlag() {
    serveHalf(Map.of(), "--enable_control=reload");
    reload();
    requireAnswer();
  }

  private void reload() {
    var model =
        ModelConfig.newBuilder()
            .setName(HALF)
            .setBasePath(savedModel(HALF).toString())
            .setModelPlatform("tensorflow");
    var config =
        ModelServerConfig.newBuilder()
            .setModelConfigList(ModelConfigList.newBuilder().addConfig(model));
    var _ =
        ModelServiceGrpc.newBlockingStub(channel)
            .handleReloadConfigRequest(ReloadConfigRequest.newBuilder().setConfig(config).build());
  }

  @Test
  void aModelThatIsTooSlowForTheTimeoutIsGivenUpAndAnswersOthersAfterwards() throws IOException {
    Path version = Files.createDirectories(folder.resolve("1"));
    Files.copy(TestModels.slow().resolve("model.onnx"), version.resolve("model.onnx"));
    serve(
        Map.of(),
        "--rest_api_timeout_in_ms=50",
        "--model_name=slow",
        "--model_base_path=" + folder);
    for (int i = 0; i < 2; i++) {
      Answer late = predict("slow", Buffer.buffer("{\"instances\":[[1.0,2.0,3.0,4.0]]}"));
      assertThat(late.status()).isEqualTo(504);
      assertThat(late.text())
          .matches(
              "\\{\"error\":\"Request timeout expired after \\d+ ms"
                  + " (in the queue|while the model ran)\"}");
    }
    Answer status = caller.send("GET", "/v1/models/slow", Buffer.buffer());
    assertThat(status.text()).contains("\"state\":\"AVAILABLE\"");
  }

  private Answer predict(String model, Buffer body) {
    return caller.send("POST", "/v1/models/" + model + ":predict", body);
  }

  @Test
  void aBodyMayBeAsLargeAsTheLimit() {
    serveHalf(LIMITED);
    String numbers = "{\"instances\":[" + "1.0,".repeat(LIMIT / 8) + "3.0]}";
    Answer answer = predict(HALF, padded(numbers, LIMIT));
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text()).isEqualTo("{\"predictions\":[" + "2.5,".repeat(LIMIT / 8) + "3.5]}");
  }

  @Test
  void aLargerBodyIsRefusedWithTheSettingToChange() {
    serveHalf(LIMITED);
    Answer answer = predict(HALF, padded("{\"instances\":[1.0]}", LIMIT + 1));
    assertThat(answer.status()).isEqualTo(413);
    assertThat(answer.text())
        .isEqualTo(
            "{\"error\":\"the request body has 8388609 bytes, the limit is 8388608 (setting"
                + " limits.max_body_size)\"}");
    assertThat(predict(HALF, Buffer.buffer("{\"instances\":[1.0]}")).status()).isEqualTo(200);
  }

  private static Buffer padded(String json, int length) {
    return Buffer.buffer(" ".repeat(length - json.length()) + json);
  }

  @Test
  void aMessageMayBeAsLargeAsTheLimit() {
    serveHalf(LIMITED);
    requireAnswer();
  }

  private void requireAnswer() {
    TensorProto y = predictions().predict(request(LIMIT)).getOutputsOrThrow("y");
    assertThat(y.getFloatValList()).hasSize(LIMIT / 8).containsOnly(2.0f);
  }

  private PredictionServiceGrpc.PredictionServiceBlockingStub predictions() {
    return PredictionServiceGrpc.newBlockingStub(channel).withMaxInboundMessageSize(2 * LIMIT);
  }

  @Test
  void aLargerMessageIsRefusedWithTheSettingToChange() {
    serveHalf(LIMITED);
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(() -> predictions().predict(request(LIMIT + 1)))
        .satisfies(failure -> {
          assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
          assertThat(failure.getStatus().getDescription())
              .matches(
                  "the message has \\d+ bytes or more, the limit is 8388608 \\(setting"
                      + " limits\\.max_body_size\\)");
        });
    requireAnswer();
  }

  /** Half of it numbers, the rest in a field that is passed over. */
  private static PredictRequest request(int bytes) {
    int numbers = LIMIT / 8;
    var shape = TensorShapeProto.newBuilder();
    shape.addDimBuilder().setSize(numbers);
    var x =
        TensorProto.newBuilder()
            .setDtype(DataType.DT_FLOAT)
            .setTensorShape(shape)
            .setTensorContent(ByteString.copyFrom(new byte[numbers * Float.BYTES]));
    var request =
        PredictRequest.newBuilder()
            .setModelSpec(ModelSpec.newBuilder().setName(HALF))
            .putInputs("x", x.build())
            .setClientId(ByteString.copyFrom(new byte[bytes / 4]));
    int missing = bytes - request.build().getSerializedSize();
    return request.setClientId(ByteString.copyFrom(new byte[bytes / 4 + missing])).build();
  }
}
