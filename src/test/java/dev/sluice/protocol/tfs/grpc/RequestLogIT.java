package dev.sluice.protocol.tfs.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.binding.SettingOverride;
import dev.sluice.inference.VersionState;
import dev.sluice.protocol.tfs.grpc.proto.BytesList;
import dev.sluice.protocol.tfs.grpc.proto.ClassificationRequest;
import dev.sluice.protocol.tfs.grpc.proto.ClassificationResponse;
import dev.sluice.protocol.tfs.grpc.proto.Example;
import dev.sluice.protocol.tfs.grpc.proto.ExampleList;
import dev.sluice.protocol.tfs.grpc.proto.Feature;
import dev.sluice.protocol.tfs.grpc.proto.Features;
import dev.sluice.protocol.tfs.grpc.proto.FloatList;
import dev.sluice.protocol.tfs.grpc.proto.InferenceTask;
import dev.sluice.protocol.tfs.grpc.proto.Input;
import dev.sluice.protocol.tfs.grpc.proto.LogCollectorConfig;
import dev.sluice.protocol.tfs.grpc.proto.LoggingConfig;
import dev.sluice.protocol.tfs.grpc.proto.ModelConfig;
import dev.sluice.protocol.tfs.grpc.proto.ModelConfigList;
import dev.sluice.protocol.tfs.grpc.proto.ModelServerConfig;
import dev.sluice.protocol.tfs.grpc.proto.ModelServiceGrpc;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.MultiInferenceRequest;
import dev.sluice.protocol.tfs.grpc.proto.MultiInferenceResponse;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.PredictResponse;
import dev.sluice.protocol.tfs.grpc.proto.PredictionServiceGrpc;
import dev.sluice.protocol.tfs.grpc.proto.RegressionRequest;
import dev.sluice.protocol.tfs.grpc.proto.RegressionResponse;
import dev.sluice.protocol.tfs.grpc.proto.ReloadConfigRequest;
import dev.sluice.protocol.tfs.grpc.proto.SamplingConfig;
import dev.sluice.protocol.tfs.grpc.wire.WireType;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.StatusRuntimeException;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls that a model's logging_config keeps, read back. */
class RequestLogIT {
  private static final Path MODEL = TestModels.savedModel("half_plus_two", "");

  /** The counters that the calls below leave behind. */
  private static final String[] COUNTED = {
    "request_count{model_name=\"half_plus_two\",status=\"OK\"} 3",
    "request_count{model_name=\"half_plus_two\",status=\"INVALID_ARGUMENT\"} 3",
    "request_latency_count{model_name=\"half_plus_two\",API=\"Classify\",entrypoint=\"GRPC\"}"
        + " 1",
    "request_latency_count{model_name=\"half_plus_two\",API=\"Regress\",entrypoint=\"GRPC\"}"
        + " 2",
    "runtime_latency_count{model_name=\"half_plus_two\",API=\"Classify\",runtime=\"TF1\"}" + " 1",
    "runtime_latency_count{model_name=\"half_plus_two\",API=\"Regress\",runtime=\"TF1\"} 2",
    "request_example_counts_count{model=\"half_plus_two\"} 4",
    "request_example_count_total{model=\"half_plus_two\"} 4"
  };

  @TempDir private Path folder;

  private RunningServer server;
  private ManagedChannel channel;

  @BeforeEach
  void start() throws IOException {
    server = serve(logged(folder.resolve("logs/half").toString(), 1));
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
  }

  @AfterEach
  void stop() throws InterruptedException {
    channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    server.close();
  }

  private static String logged(String prefix, double rate) {
    return """
    model_config_list {
      config {
        name: "half_plus_two" base_path: "%s" model_platform: "tensorflow"
        logging_config {
          log_collector_config { type: "file" filename_prefix: "%s" }
          sampling_config { sampling_rate: %s }
        }
      }
    }
    """
        .formatted(MODEL, prefix, rate);
  }

  private RunningServer serve(String models) throws IOException {
    Path file = Files.writeString(folder.resolve("models.config"), models);
    SluiceConfig config =
        new SluiceConfigReader(_ -> {})
            .read(
                Optional.empty(),
                Map.of(),
                List.of(
                    new SettingOverride("models.tensorflow_config.file", file.toString(), "test"),
                    new SettingOverride(
                        "tfs.request_log_folder", folder.resolve("theirs").toString(), "test")));
    return RunningServer.start(config.with(List.of(RunningServer.LISTENER), config.repository()));
  }

  @Test
  void everyCallIsKeptWithItsAnswerAndCanWarmUpAModel() throws Exception {
    PredictRequest predict = predict(1, 2);
    PredictResponse predicted = predictions().predict(predict);
    ClassificationRequest classify = classify();
    ClassificationResponse classified = predictions().classify(classify);
    try (var caller = new HttpCaller(server.port())) {
      String body = "{\"instances\":[3.0]}";
      assertThat(
              caller.send("POST", "/v1/models/half_plus_two:predict", Buffer.buffer(body)).status())
          .isEqualTo(200);
    }
    server.close();

    Path file = onlyFile("logs");
    List<UnknownFieldSet> logs = read(file);
    assertThat(logs).hasSize(3);
    assertThat(call(logs.get(0), 6, 1)).isEqualTo(predict.toByteString());
    assertThat(PredictResponse.parseFrom(call(logs.get(0), 6, 2))).isEqualTo(predicted);
    assertThat(call(logs.get(1), 2, 1)).isEqualTo(classify.toByteString());
    assertThat(ClassificationResponse.parseFrom(call(logs.get(1), 2, 2))).isEqualTo(classified);
    PredictRequest byRest = PredictRequest.parseFrom(call(logs.get(2), 6, 1));
    assertThat(byRest.getModelSpec().getVersion().getValue()).isEqualTo(123);
    assertThat(byRest.getInputsOrThrow("x").getTensorContent().size()).isEqualTo(4);
    assertWarmsUp(file);
  }

  @Test
  void classifyAndRegressOverRestAreKeptAsTheMessagesThatTheyStandFor() throws Exception {
    ask("classify", "classify_x_to_y", "{\"x\":2.0}");
    ask("regress", "regress_x_to_y", "{\"x\":3.0}");
    server.close();

    Path file = onlyFile("logs");
    List<UnknownFieldSet> logs = read(file);
    assertThat(logs).hasSize(2);
    var classify = ClassificationRequest.parseFrom(call(logs.get(0), 2, 1));
    assertThat(classify.getModelSpec().getSignatureName()).isEqualTo("classify_x_to_y");
    assertThat(classify.getInput().getExampleList())
        .isEqualTo(classify().getInput().getExampleList());
    var classified = ClassificationResponse.parseFrom(call(logs.get(0), 2, 2));
    assertThat(classified.getModelSpec().getVersion().getValue()).isEqualTo(123);
    assertThat(classified.getResult().getClassifications(0).getClasses(0).getScore()).isEqualTo(3);
    var regress = RegressionRequest.parseFrom(call(logs.get(1), 3, 1));
    assertThat(regress.getInput().getExampleList().getExamplesCount()).isEqualTo(1);
    var regressed = RegressionResponse.parseFrom(call(logs.get(1), 3, 2));
    assertThat(regressed.getResult().getRegressions(0).getValue()).isEqualTo(3.5f);
    assertWarmsUp(file);
  }

  @Test
  void regressAndMultiInferenceOverGrpcAreKeptAndFailedCallsAreNot() throws Exception {
    RegressionRequest regress = regress("regress_x_to_y");
    RegressionResponse regressed = predictions().regress(regress);
    MultiInferenceRequest several = several("classify_x_to_y", "regress_x_to_y");
    MultiInferenceResponse answered = predictions().multiInference(several);
    failing();
    server.close();

    Path file = onlyFile("logs");
    List<UnknownFieldSet> logs = read(file);
    assertThat(logs).hasSize(2);
    assertThat(call(logs.get(0), 3, 1)).isEqualTo(regress.toByteString());
    assertThat(RegressionResponse.parseFrom(call(logs.get(0), 3, 2))).isEqualTo(regressed);
    assertThat(call(logs.get(1), 4, 1)).isEqualTo(several.toByteString());
    assertThat(MultiInferenceResponse.parseFrom(call(logs.get(1), 4, 2))).isEqualTo(answered);
    assertWarmsUp(file);
  }

  /** TensorFlow Serving counts MultiInference by its examples alone, and only if it succeeds. */
  @Test
  void callsOverGrpcAreCountedAsThere() {
    predictions().classify(classify());
    predictions().regress(regress("regress_x_to_y"));
    predictions().regress(regress("regress_x_to_y"));
    predictions().multiInference(several("classify_x_to_y", "regress_x_to_y"));
    failing();
    assertThat(countedAtLast(COUNTED)).containsExactlyInAnyOrder(COUNTED);
  }

  private void failing() {
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(() -> predictions().classify(classify().toBuilder().setInput(none()).build()));
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(() -> predictions().regress(regress("classify_x_to_y")));
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(
            () -> predictions().multiInference(several("classify_x_to_y", "classify_x_to_y")));
    MultiInferenceRequest wrong = several("classify_x_to_y", "regress_x_to_y");
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(() -> predictions().multiInference(wrong.toBuilder().setInput(texts()).build()))
        .withMessageContaining("Data types don't match");
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(() -> predictions().classify(classify().toBuilder().setInput(texts()).build()))
        .withMessageContaining("Data types don't match");
  }

  /** Returns an example that fails in the model's own run: its feature is of another type. */
  private static Input texts() {
    var text = BytesList.newBuilder().addValue(ByteString.copyFromUtf8("a"));
    var features =
        Features.newBuilder().putFeature("x", Feature.newBuilder().setBytesList(text).build());
    var example = Example.newBuilder().setFeatures(features);
    return Input.newBuilder().setExampleList(ExampleList.newBuilder().addExamples(example)).build();
  }

  private static Input none() {
    return Input.newBuilder().setExampleList(ExampleList.getDefaultInstance()).build();
  }

  /** A call is counted when its answer is on its way, which can be a moment later. */
  private List<String> countedAtLast(String... wanted) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    List<String> counted = counted();
    while (!counted.containsAll(List.of(wanted)) && System.nanoTime() < end) {
      counted = counted();
    }
    return counted;
  }

  /** Counters of calls, and counts of distributions, without their common prefix. */
  private List<String> counted() {
    String prefix = ":tensorflow:serving:";
    try (var caller = new HttpCaller(server.port())) {
      return caller
          .send("GET", "/metrics", Buffer.buffer())
          .text()
          .lines()
          .filter(line -> line.startsWith(prefix + "re") || line.startsWith(prefix + "ru"))
          .filter(line -> line.matches(".*(request_count|_total|_count)\\{.*"))
          .filter(line -> !line.contains("request_log"))
          .map(line -> line.substring(prefix.length()))
          .toList();
    }
  }

  private static RegressionRequest regress(String signature) {
    return RegressionRequest.newBuilder()
        .setModelSpec(ModelSpec.newBuilder().setName("half_plus_two").setSignatureName(signature))
        .setInput(classify().getInput())
        .build();
  }

  private static MultiInferenceRequest several(String classify, String regress) {
    var request = MultiInferenceRequest.newBuilder().setInput(classify().getInput());
    request.addTasks(task("classify", classify));
    return request.addTasks(task("regress", regress)).build();
  }

  private static InferenceTask task(String method, String signature) {
    return InferenceTask.newBuilder()
        .setMethodName("tensorflow/serving/" + method)
        .setModelSpec(ModelSpec.newBuilder().setName("half_plus_two").setSignatureName(signature))
        .build();
  }

  private void ask(String verb, String signature, String example) {
    String body = "{\"signature_name\":\"%s\",\"examples\":[%s]}".formatted(signature, example);
    try (var caller = new HttpCaller(server.port())) {
      String path = "/v1/models/half_plus_two:" + verb;
      assertThat(caller.send("POST", path, Buffer.buffer(body)).status()).isEqualTo(200);
    }
  }

  private void assertWarmsUp(Path file) throws IOException {
    Path version = folder.resolve("warmed/half_plus_two/1");
    TestModels.copy(MODEL.resolve("00000123"), version);
    Files.createDirectories(version.resolve("assets.extra"));
    Files.copy(file, version.resolve("assets.extra/tf_serving_warmup_requests"));
    server = RunningServer.start(folder.resolve("warmed"));
    assertThat(server.control().versions("half_plus_two").orElseThrow().getFirst().state())
        .isEqualTo(VersionState.AVAILABLE);
  }

  @Test
  void aReloadChangesWhatIsKept() throws Exception {
    String theirs = folder.resolve("theirs/half").toString();
    reload(theirs);
    predictions().predict(predict(1));
    reload("");
    predictions().predict(predict(2));
    server.close();
    assertThat(read(onlyFile("theirs"))).hasSize(1);
    assertThat(folder.resolve("logs")).doesNotExist();
  }

  @Test
  void aCallerMayNotChooseWhereFilesAreWritten() {
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(() -> reload(folder.resolve("theirs/../elsewhere").toString()))
        .withMessageContaining("PERMISSION_DENIED")
        .withMessageContaining("the setting tfs.request_log_folder allows");
  }

  @Test
  void anotherCollectorIsNotFoundAsThere() {
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(() -> reload(folder.resolve("theirs/half").toString(), "kafka"))
        .withMessageContaining(
            "NOT_FOUND: Cannot find LogCollector::Factory for type: kafka; wanted file");
  }

  private void reload(String prefix) {
    reload(prefix, "file");
  }

  private void reload(String prefix, String type) {
    ModelConfig.Builder model =
        ModelConfig.newBuilder()
            .setName("half_plus_two")
            .setBasePath(MODEL.toString())
            .setModelPlatform("tensorflow");
    if (!prefix.isEmpty()) {
      model.setLoggingConfig(
          LoggingConfig.newBuilder()
              .setLogCollectorConfig(
                  LogCollectorConfig.newBuilder().setType(type).setFilenamePrefix(prefix))
              .setSamplingConfig(SamplingConfig.newBuilder().setSamplingRate(1)));
    }
    var request =
        ReloadConfigRequest.newBuilder()
            .setConfig(
                ModelServerConfig.newBuilder()
                    .setModelConfigList(ModelConfigList.newBuilder().addConfig(model)));
    var _ =
        ModelServiceGrpc.newBlockingStub(channel)
            .withDeadlineAfter(60, TimeUnit.SECONDS)
            .handleReloadConfigRequest(request.build());
  }

  private Path onlyFile(String name) throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve(name))) {
      List<Path> all = files.toList();
      assertThat(all).hasSize(1);
      assertThat(all.getFirst().getFileName().toString()).matches("half-\\d{8}T.*\\.tfrecord");
      return all.getFirst();
    }
  }

  private static List<UnknownFieldSet> read(Path file) throws IOException {
    List<UnknownFieldSet> logs = new ArrayList<>();
    try (var reader = new TfRecordReader(file)) {
      for (byte[] record = reader.next(); record != null; record = reader.next()) {
        logs.add(UnknownFieldSet.parseFrom(record));
      }
    }
    return logs;
  }

  private static ByteString call(UnknownFieldSet log, int type, int field) throws IOException {
    ByteString call = log.getField(type).getLengthDelimitedList().getFirst();
    return UnknownFieldSet.parseFrom(call).getField(field).getLengthDelimitedList().getFirst();
  }

  private PredictionServiceGrpc.PredictionServiceBlockingStub predictions() {
    return PredictionServiceGrpc.newBlockingStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);
  }

  private static PredictRequest predict(float... values) {
    var x = ProtoTensors.header(WireType.FLOAT, values.length);
    for (float value : values) {
      x.addFloatVal(value);
    }
    return PredictRequest.newBuilder()
        .setModelSpec(ModelSpec.newBuilder().setName("half_plus_two"))
        .putInputs("x", x.build())
        .build();
  }

  private static ClassificationRequest classify() {
    var feature = Feature.newBuilder().setFloatList(FloatList.newBuilder().addValue(2));
    var example =
        Example.newBuilder().setFeatures(Features.newBuilder().putFeature("x", feature.build()));
    return ClassificationRequest.newBuilder()
        .setModelSpec(
            ModelSpec.newBuilder().setName("half_plus_two").setSignatureName("classify_x_to_y"))
        .setInput(Input.newBuilder().setExampleList(ExampleList.newBuilder().addExamples(example)))
        .build();
  }
}
