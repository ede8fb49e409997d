package dev.sluice.conformance.tfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.sluice.config.SluiceConfig;
import dev.sluice.config.model.ListedModel;
import dev.sluice.config.security.ControlAccess;
import dev.sluice.config.security.TrustConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.protocol.tfs.grpc.proto.Code;
import dev.sluice.protocol.tfs.grpc.proto.DataType;
import dev.sluice.protocol.tfs.grpc.proto.FileSystemStoragePathSourceConfig.ServableVersionPolicy;
import dev.sluice.protocol.tfs.grpc.proto.GetModelStatusRequest;
import dev.sluice.protocol.tfs.grpc.proto.Metric;
import dev.sluice.protocol.tfs.grpc.proto.ModelConfig;
import dev.sluice.protocol.tfs.grpc.proto.ModelConfigList;
import dev.sluice.protocol.tfs.grpc.proto.ModelServerConfig;
import dev.sluice.protocol.tfs.grpc.proto.ModelServiceGrpc;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.ModelType;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.PredictionServiceGrpc;
import dev.sluice.protocol.tfs.grpc.proto.ReloadConfigRequest;
import dev.sluice.protocol.tfs.grpc.proto.ReloadConfigResponse;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.proto.TensorShapeProto;
import dev.sluice.testing.RecordCopy;
import dev.sluice.testing.RunningServer;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** HandleReloadConfigRequest against a real server, with a real client. */
class ReloadIT {
  private static final Path MODELS = Path.of("src/test/models/tfs").toAbsolutePath();
  private static final String TWO = "half_plus_two";
  private static final String THREE = "half_plus_three";

  private RunningServer server;
  private ManagedChannel channel;

  @BeforeEach
  void start() {
    server = RunningServer.start(settings(listener(true)));
    channel = channel(server);
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.close();
  }

  private static ListenerConfig listener(boolean control) {
    ListenerConfig free = RunningServer.LISTENER;
    return control
        ? free
        : new ListenerConfig(
            "0.0.0.0",
            0,
            free.protocols(),
            free.v1(),
            free.metricsPath(),
            ControlAccess.POLICY,
            false,
            free.tls());
  }

  private static SluiceConfig settings(ListenerConfig listener) {
    return settings(listener, Map.of(TWO, ListedModel.in(MODELS.resolve(TWO))));
  }

  private static SluiceConfig settings(ListenerConfig listener, Map<String, ListedModel> models) {
    return RunningServer.settings(
        listener,
        RecordCopy.with(
            RepositoryConfig.of(DesiredModels.only(models), Duration.ofMillis(50)),
            "trust",
            new TrustConfig(List.of(Path.of("/")), Set.of(), List.of(), false)));
  }

  private static ManagedChannel channel(RunningServer server) {
    return ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
  }

  @Test
  void aNewModelTakesRequestsWhenTheCallReturnsAndAnOmittedOneNoLonger() {
    assertThat(reload(model(THREE)).getStatus().getErrorCode()).isEqualTo(Code.OK);
    assertThat(predict(THREE)).isEqualTo(3.5f);
    assertThatThrownBy(() -> predict(TWO))
        .hasMessage("NOT_FOUND: Servable not found for request: Latest(half_plus_two)");
    assertThat(states(TWO)).matches("123 (UNLOADING|END)");
  }

  @Test
  void anEmptyListUnloadsEverything() {
    reload();
    assertThatThrownBy(() -> predict(TWO)).hasMessageStartingWith("NOT_FOUND");
  }

  @Test
  void aNewModelThatCannotLoadFailsTheCallAndTheOthersServe() {
    Path broken = Path.of("src/test/models/broken/broken").toAbsolutePath();
    assertThatThrownBy(() -> reload(model(TWO), model("bad").setBasePath(broken.toString())))
        .hasMessageStartingWith(
            "UNKNOWN: 1 model(s) did not become available:"
                + " {{{name: bad version: 1} due to error: ")
        .hasMessageEndingWith("}, }");
    assertThat(predict(TWO)).isEqualTo(2.5f);
    assertThat(states("bad")).isEqualTo("1 END");
  }

  @Test
  void aNewModelWithoutVersionsFailsTheCall() {
    assertThatThrownBy(() -> reload(model("none").setBasePath("/nowhere/at/all")))
        .hasMessage(
            "UNKNOWN: 1 model(s) did not become available:"
                + " {{{name: none} due to error: no version was found in its folder}, }");
  }

  @Test
  void policiesAndLabelsChangeWhileTheModelServes() {
    String name = "half_plus_two_2_versions";
    var all = ServableVersionPolicy.newBuilder().setAll(ServableVersionPolicy.All.newBuilder());
    reload(model(name).setModelVersionPolicy(all));
    server.awaitReconciled();
    assertThat(states(name)).isEqualTo("124 AVAILABLE, 123 AVAILABLE");
    reload(
        model(name)
            .setModelVersionPolicy(all)
            .putVersionLabels("stable", 123)
            .putVersionLabels("canary", 124));
    var spec = ModelSpec.newBuilder().setName(name).setVersionLabel("stable").build();
    assertThat(predict(spec)).isEqualTo(2.5f);
  }

  @Test
  void aLabelForAVersionThatTakesNoRequestsRefusesTheWholeSet() {
    assertThatThrownBy(() -> reload(model(THREE), model(TWO).putVersionLabels("canary", 99)))
        .hasMessage(
            "FAILED_PRECONDITION: Request to assign label to version 99 of model half_plus_two,"
                + " which is not currently available for inference");
    assertThat(predict(TWO)).isEqualTo(2.5f);
    assertThatThrownBy(() -> predict(THREE)).hasMessageStartingWith("NOT_FOUND");
  }

  @ParameterizedTest(name = "{0} {1} {2} {3}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          m | /m | tensorflow | TENSORFLOW | Illegal setting both ModelServerConfig::model_type \
          (deprecated) and ModelServerConfig::model_platform, model name is m
          m | /m | '' | MODEL_TYPE_UNSPECIFIED | Illegal setting neither \
          ModelServerConfig::model_type (deprecated) nor ModelServerConfig::model_platform, \
          model name is m
          m | m/x | tensorflow | MODEL_TYPE_UNSPECIFIED | Expected model m to have an absolute path \
          or URI; got base_path()=m/x
          m | /m | caffe | MODEL_TYPE_UNSPECIFIED | Model m requests unsupported platform caffe
          half_plus_two | /m | caffe | MODEL_TYPE_UNSPECIFIED | Illegal to change a model's \
          platform. For model half_plus_two platform was tensorflow and new platform requested is \
          caffe
          """)
  void aSetThatIsWrongInItselfIsRefused(
      String name, String path, String platform, ModelType type, String text) {
    var model =
        ModelConfig.newBuilder()
            .setName(name)
            .setBasePath(path)
            .setModelPlatform(platform)
            .setModelType(type);
    assertThatThrownBy(() -> reload(model)).hasMessage("INVALID_ARGUMENT: " + text);
    assertThat(predict(TWO)).isEqualTo(2.5f);
  }

  @Test
  void aModelListedTwiceIsRefused() {
    assertThatThrownBy(() -> reload(model(TWO), model(TWO)))
        .hasMessage(
            "INVALID_ARGUMENT: Illegal to list model half_plus_two multiple times in config list");
  }

  @Test
  void theOlderWordForThePlatformDoes() {
    reload(model(THREE).clearModelPlatform().setModelType(ModelType.TENSORFLOW));
    assertThat(predict(THREE)).isEqualTo(3.5f);
  }

  @Test
  void theIncreaseOfMetricsDuringTheCallIsReported() {
    String loads = "/tensorflow/cc/saved_model/load_attempt_count";
    try (var empty = RunningServer.start(settings(listener(true), Map.of()))) {
      ManagedChannel other = channel(empty);
      try {
        var request = request(model(THREE)).toBuilder().addMetricNames(loads).addMetricNames("/x");
        assertThat(
                ModelServiceGrpc.newBlockingStub(other)
                    .handleReloadConfigRequest(request.build())
                    .getMetricList())
            .extracting(Metric::getName, Metric::getInt64ValueIncrease)
            .containsExactly(tuple(loads, 1L), tuple("/x", 0L));
      } finally {
        other.shutdownNow();
      }
    }
  }

  @Test
  void aListIsWanted() {
    assertThatThrownBy(
            () -> service().handleReloadConfigRequest(ReloadConfigRequest.getDefaultInstance()))
        .hasMessage(
            "INVALID_ARGUMENT: ServerModelConfig type not supported by HandleReloadConfigRequest."
                + " Only ModelConfigList is currently supported");
  }

  @Test
  void aListenerWithoutControlRefusesIt() {
    try (var open = RunningServer.start(settings(listener(false)))) {
      ManagedChannel outside = channel(open);
      try {
        assertThatThrownBy(() ->
                ModelServiceGrpc.newBlockingStub(outside)
                    .handleReloadConfigRequest(request(model(THREE))))
            .hasMessageStartingWith("PERMISSION_DENIED")
            .hasMessageContaining("security.policies")
            .hasMessageContaining("control: [reload]");
      } finally {
        outside.shutdownNow();
      }
    }
  }

  @Test
  void noRequestFailsWhileTheSetIsReplacedAgainAndAgain() throws Exception {
    var stop = new AtomicBoolean();
    var answers = new AtomicLong();
    Callable<Void> ask =
        () -> {
          while (!stop.get()) {
            assertThat(predict(TWO)).isEqualTo(2.5f);
            answers.incrementAndGet();
          }
          return null;
        };
    try (ExecutorService callers = Executors.newFixedThreadPool(4)) {
      List<Future<Void>> asked = List.of(callers.submit(ask), callers.submit(ask));
      try {
        for (int round = 0; round < 10; round++) {
          reload(model(TWO), model(THREE));
          // the same model from elsewhere, which is loaded anew beside itself
          Path copy = MODELS.resolve(round % 2 == 0 ? "half_plus_two_tf2" : TWO);
          reload(model(TWO).setBasePath(copy.toString()));
        }
      } finally {
        stop.set(true);
      }
      for (Future<Void> caller : asked) {
        caller.get();
      }
    }
    assertThat(answers).hasPositiveValue();
  }

  private static ModelConfig.Builder model(String name) {
    return ModelConfig.newBuilder()
        .setName(name)
        .setBasePath(MODELS.resolve(name).toString())
        .setModelPlatform("tensorflow");
  }

  private static ReloadConfigRequest request(ModelConfig.Builder... models) {
    var list = ModelConfigList.newBuilder();
    Arrays.stream(models).forEach(list::addConfig);
    return ReloadConfigRequest.newBuilder()
        .setConfig(ModelServerConfig.newBuilder().setModelConfigList(list))
        .build();
  }

  private ReloadConfigResponse reload(ModelConfig.Builder... models) {
    return service().handleReloadConfigRequest(request(models));
  }

  private ModelServiceGrpc.ModelServiceBlockingStub service() {
    return ModelServiceGrpc.newBlockingStub(channel);
  }

  private String states(String model) {
    return String.join(
        ", ",
        service()
            .getModelStatus(
                GetModelStatusRequest.newBuilder()
                    .setModelSpec(ModelSpec.newBuilder().setName(model))
                    .build())
            .getModelVersionStatusList()
            .stream()
            .map(status -> status.getVersion() + " " + status.getState())
            .toList());
  }

  private float predict(String model) {
    return predict(ModelSpec.newBuilder().setName(model).build());
  }

  private float predict(ModelSpec model) throws StatusRuntimeException {
    var x =
        TensorProto.newBuilder()
            .setDtype(DataType.DT_FLOAT)
            .setTensorShape(
                TensorShapeProto.newBuilder().addDim(TensorShapeProto.Dim.newBuilder().setSize(1)))
            .addFloatVal(1)
            .build();
    return PredictionServiceGrpc.newBlockingStub(channel)
        .predict(PredictRequest.newBuilder().setModelSpec(model).putInputs("x", x).build())
        .getOutputsOrThrow("y")
        .getFloatVal(0);
  }
}
