package dev.sluice.config.compat.grps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.ModelConfigReader;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.binding.SettingOverride;
import dev.sluice.config.compat.grps.StreamControlConfig.Mode;
import dev.sluice.config.model.BatchingConfig;
import dev.sluice.config.model.EnsembleConfig;
import dev.sluice.config.model.ListedModel;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.security.ControlAccess;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.ListenerConfig.Protocol;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The files of grps' own server, as its deployments have them. */
class GrpsDeploymentTest {
  private static final String SERVER =
      """
      interface:
        framework: http+grpc # or http
        host: 0.0.0.0
        port: 7080, 7081
      max_connections: 1000
      max_concurrency: 32
      log:
        log_dir: ./logs
        log_backup_count: 7
      """;

  private static final String INFERENCE =
      """
      models:
        - name: your_model
          version: 1.0.0
          device: cuda:0
          inferer_type: torch
          inferer_name:
          inferer_path: ./data/net.onnx
          inferer_args:
          converter_type: torch
          converter_name:
          converter_path:
          converter_args:
          batching:
            type: dynamic
            max_batch_size: 16
            batch_timeout_us: 1000
        - name: your_model
          version: '2.0'
          device: cpu
          inferer_type: tensorflow
          inferer_path: data/saved
          converter_type: none
      dag:
        type: sequential
        name: your_dag
        nodes:
          - name: first
            type: model
            model: your_model-1.0.0
      """;

  private static final BatchingConfig SIXTEEN =
      new BatchingConfig(16, true, Duration.ofMillis(1), List.of(), List.of());

  @TempDir private Path folder;
  private final List<String> warnings = new ArrayList<>();

  @BeforeEach
  void deploy() throws IOException {
    Files.createDirectories(folder.resolve("data/saved"));
    Files.createDirectory(folder.resolve("conf"));
    Files.writeString(folder.resolve("data/net.onnx"), "");
    Files.writeString(folder.resolve("data/net.pt"), "");
    Files.writeString(folder.resolve("data/saved/saved_model.pb"), "");
    write(SERVER, INFERENCE);
  }

  private void write(String server, String inference) throws IOException {
    Files.writeString(folder.resolve("conf/server.yml"), server);
    Files.writeString(folder.resolve("conf/inference.yml"), inference);
  }

  private SluiceConfig read(SettingOverride... others) {
    List<SettingOverride> flags = new ArrayList<>(List.of(others));
    flags.add(new SettingOverride("grps.deployment", folder.toString(), "--grps"));
    return new SluiceConfigReader(warnings::add).read(Optional.empty(), Map.of(), flags);
  }

  @Test
  void itsPortsAreOpenForGrpsWithItsSwitch() {
    assertThat(read().listeners())
        .containsExactly(listener(7080, Protocol.GRPS), listener(7081, Protocol.GRPS));
  }

  private static ListenerConfig listener(int port, Protocol... protocols) {
    return new ListenerConfig(
        "0.0.0.0",
        port,
        java.util.Set.of(protocols),
        ListenerConfig.V1Dialect.BOTH,
        ListenerConfig.DEFAULT.metricsPath(),
        ControlAccess.open(ControlAccess.Operation.ONLINE, ControlAccess.Operation.OFFLINE),
        false,
        Optional.empty());
  }

  @Test
  void brpcIsSpokenOnTheSecondPort() throws IOException {
    write(SERVER.replace("http+grpc", "http+brpc"), INFERENCE);
    assertThat(read().listeners())
        .containsExactly(
            listener(7080, Protocol.GRPS), listener(7081, Protocol.GRPS, Protocol.BRPC));
  }

  @Test
  void onePortIsEnoughForHttp() throws IOException {
    write(SERVER.replace("http+grpc", "http").replace("7080, 7081", "7080"), INFERENCE);
    assertThat(read().listeners()).containsExactly(listener(7080, Protocol.GRPS));
  }

  @Test
  void itsModelsAreThereByNameAndVersionAndNoOthersAre() {
    SluiceConfig config = read();
    assertThat(config.repository().wanted().listed())
        .containsOnly(
            Map.entry(
                "your_model-1.0.0",
                ListedModel.in(folder.resolve("data/net.onnx")).withBatching(SIXTEEN)),
            Map.entry("your_model-2.0", ListedModel.in(folder.resolve("data/saved"))));
    assertThat(config.repository().wanted().directories()).isEmpty();
    assertThat(config.protocols().grps().defaultModel()).contains("your_model-1.0.0");
    assertThat(config.protocols().grps().maxConnections()).isEqualTo(1000);
  }

  /** How the requests for a model are joined, with what lies beside it. */
  private BatchingConfig batching(String model) {
    SluiceConfig config = read();
    ListedModel listed = Objects.requireNonNull(config.repository().wanted().listed().get(model));
    return listed
        .over(new ModelConfigReader(config, warnings::add).read(listed.folder()))
        .batching();
  }

  @Test
  void itsBatchingIsThatOfTheModel() {
    assertThat(batching("your_model-1.0.0")).isEqualTo(SIXTEEN);
    assertThat(batching("your_model-2.0")).isEqualTo(BatchingConfig.DEFAULT);
  }

  @Test
  void modelsOfTheSameFilesAreJoinedEachAsItsOwnEntrySays() throws IOException {
    write(SERVER, INFERENCE.replace("./data/net.onnx", "data/saved"));
    Files.writeString(folder.resolve("data/saved/model.yml"), "max_batch_size: 3\n");
    assertThat(batching("your_model-1.0.0")).isEqualTo(SIXTEEN);
    assertThat(batching("your_model-2.0").maxBatchSize()).isEqualTo(3);
  }

  @Test
  void noModelHasMoreSessionsThanPredictionsMayRun() throws IOException {
    write(SERVER.replace("max_concurrency: 32", "max_concurrency: 2"), INFERENCE);
    var many = new SettingOverride("models.defaults.instances", "8", "--set");
    assertThat(new ModelConfigReader(read(many), warnings::add).read(folder).workers())
        .isEqualTo(new ModelConfig.Workers(2, 1));
  }

  @Test
  void asManyRunsOfAModelAreUnderWayAsThereAreProcessorsForThem() throws IOException {
    write(SERVER, INFERENCE);
    assertThat(new ModelConfigReader(read(), warnings::add).read(folder).workers())
        .isEqualTo(
            new ModelConfig.Workers(1, Math.min(32, Runtime.getRuntime().availableProcessors())));
    write(SERVER.replace("max_concurrency: 32", "max_concurrency: 1"), INFERENCE);
    assertThat(new ModelConfigReader(read(), warnings::add).read(folder).workers())
        .isEqualTo(new ModelConfig.Workers(1, 1));
    var apart = new SettingOverride("onnx.isolation", "process", "--set");
    write(SERVER, INFERENCE);
    assertThat(new ModelConfigReader(read(apart), warnings::add).read(folder).workers())
        .isEqualTo(new ModelConfig.Workers(1, 1));
  }

  @Test
  void asManyCallsOfAPluginRunAsTheDeploymentSays() throws IOException {
    write(SERVER, INFERENCE);
    assertThat(pluginCalls()).isEqualTo(32);
    Files.writeString(folder.resolve("model.yml"), "java: { concurrency: 3 }\n");
    assertThat(pluginCalls()).isEqualTo(3);
    Files.delete(folder.resolve("model.yml"));
    write(SERVER.replace("max_concurrency: 32", "max_concurrency: 100000"), INFERENCE);
    assertThat(pluginCalls()).isEqualTo(1024);
  }

  private int pluginCalls() {
    return new ModelConfigReader(read(), warnings::add)
        .read(folder)
        .runtimes()
        .java()
        .concurrency();
  }

  @Test
  void settingsThatAreGivenBeatIt() {
    SluiceConfig config =
        read(
            new SettingOverride("listeners", "localhost:9", "--listen"),
            new SettingOverride("grps.default_model", "your_model-2.0", "--set"),
            new SettingOverride("grps.max_connections", "3", "--set"));
    assertThat(config.listeners())
        .extracting(ListenerConfig::address)
        .containsExactly("localhost:9");
    assertThat(config.protocols().grps().defaultModel()).contains("your_model-2.0");
    assertThat(config.protocols().grps().maxConnections()).isEqualTo(3);
  }

  @Test
  void keysThatChangeNothingAreNamedTogether() throws IOException {
    write(
        SERVER
            + """
            gpu:
              devices: [0]
              mem_manager_type: none
            colour: red
            """,
        INFERENCE.replace("inferer_args:", "inferer_args: {streams: 2}"));
    read();
    assertThat(warnings)
        .containsExactly(
            "these keys of the grps deployment change nothing here: log, gpu, colour,"
                + " models[0].device, models[0].inferer_args");
  }

  private Map<String, String> pluginSettings(String model) {
    SluiceConfig config = read();
    ListedModel listed = Objects.requireNonNull(config.repository().wanted().listed().get(model));
    return listed
        .over(new ModelConfigReader(config, warnings::add).read(listed.folder()))
        .runtimes()
        .java()
        .settings();
  }

  @Test
  void argumentsOfAnInfererAreSettingsOfItsCodeInPlaceOfThoseBesideIt() throws IOException {
    Files.writeString(folder.resolve("data/saved/code.jar"), "");
    Files.writeString(
        folder.resolve("data/saved/model.yml"), "java: {settings: {size: 9, colour: red}}\n");
    write(
        SERVER,
        INFERENCE.replace(
            "inferer_path: data/saved",
            """
            inferer_path: data/saved
                inferer_name: mine
                inferer_args: {size: 3, rate: 0.5, on: true, none: , labels: [a, 1], limits: {low: 1}}
                converter_args: {unread: 1}\
            """));
    assertThat(pluginSettings("your_model-2.0"))
        .containsOnly(
            Map.entry("inferer_name", "mine"),
            Map.entry("size", "3"),
            Map.entry("colour", "red"),
            Map.entry("rate", "0.5"),
            Map.entry("on", "true"),
            Map.entry("none", ""),
            Map.entry("labels", "[\"a\",1]"),
            Map.entry("limits", "{\"low\":1}"));
    assertThat(warnings.getFirst()).endsWith("models[1].converter_args");
  }

  @Test
  void argumentsAndThePathOfAConverterAreSettingsOfItsCode() throws IOException {
    Files.writeString(folder.resolve("data/saved/code.jar"), "");
    write(
        SERVER,
        INFERENCE.replace(
            "converter_type: none",
            """
            converter_type: customized
                converter_path: data/words.txt
                converter_name: words
                converter_args: {sep: ','}
                inferer_args: {unread: 1}\
            """));
    assertThat(pluginSettings("your_model-2.0"))
        .containsOnly(
            Map.entry("converter_name", "words"),
            Map.entry("sep", ","),
            Map.entry("converter_path", folder.resolve("data/words.txt").toString()));
    assertThat(warnings.getFirst()).endsWith("models[1].inferer_args");
  }

  private void writeCustomHttp(String control) throws IOException {
    write(
        SERVER.replace(
            "  port:",
            """
              customized_predict_http:
                path: /v1/chat
                customized_body: true
                streaming_ctrl: %s
              port:\
            """
                .formatted(control)),
        INFERENCE);
  }

  @Test
  void theControlOfStreamsReplacesTheUsualOne() throws IOException {
    writeCustomHttp("{ctrl_mode: body_param, ctrl_key: stream, res_content_type: text/plain}");
    GrpsConfig grps = read().protocols().grps();
    assertThat(grps.streamingCtrl())
        .isEqualTo(new StreamControlConfig(Mode.BODY_PARAM, "stream", "text/plain"));
    assertThat(grps.deployment().orElseThrow().customHttp())
        .contains(new GrpsCustomHttp("/v1/chat", true, grps.streamingCtrl()));
    assertThat(
            read(new SettingOverride("grps.streaming_ctrl.ctrl_key", "flow", "--set"))
                .protocols()
                .grps()
                .streamingCtrl())
        .isEqualTo(new StreamControlConfig(Mode.BODY_PARAM, "flow", "text/plain"));
  }

  @Test
  void itsPathOfOwnCodeIsAnsweredUnlessAnotherIsGiven() throws IOException {
    writeCustomHttp("");
    assertThat(read().protocols().grps().customizedPredictHttp())
        .isEqualTo(new CustomPredictConfig(Optional.of("/v1/chat"), true));
    assertThat(
            read(new SettingOverride("grps.customized_predict_http.path", "/chat", "--set"))
                .protocols()
                .grps()
                .customizedPredictHttp())
        .isEqualTo(new CustomPredictConfig(Optional.of("/chat"), true));
    assertThat(warnings).noneMatch(warning -> warning.contains("customized"));
  }

  @Test
  void aPathThatIsTakenIsRefused() throws IOException {
    writeCustomHttp("");
    Path file = folder.resolve("conf/server.yml");
    Files.writeString(file, Files.readString(file).replace("/v1/chat", "/grps/v1/infer/predict"));
    assertThatThrownBy(this::read)
        .hasMessageEndingWith(
            "interface.customized_predict_http.path is \"/grps/v1/infer/predict\"; wanted a path"
                + " that the server does not answer already");
  }

  @Test
  void whatTheControlOfStreamsLeavesEmptyIsAsUsual() throws IOException {
    writeCustomHttp("{ctrl_mode: , ctrl_key: \"\", res_content_type: text/plain}");
    assertThat(read().protocols().grps().streamingCtrl())
        .isEqualTo(new StreamControlConfig(Mode.QUERY_PARAM, "streaming", "text/plain"));
  }

  @Test
  void anUnknownControlOfStreamsIsRefused() throws IOException {
    writeCustomHttp("{ctrl_mode: cookie}");
    assertThatThrownBy(this::read)
        .hasMessageContaining(
            "interface.customized_predict_http.streaming_ctrl.ctrl_mode is \"cookie\"; wanted");
  }

  @Test
  void theFolderOfTheFilesIsAsGoodAsTheDeployment() {
    SluiceConfig config =
        new SluiceConfigReader(warnings::add)
            .read(
                Optional.empty(),
                Map.of(),
                List.of(
                    new SettingOverride(
                        "grps.deployment", folder.resolve("conf").toString(), "--grps")));
    assertThat(config).isEqualTo(read());
  }

  @ParameterizedTest(name = "{2}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          framework: http+grpc | framework: grpc          | interface.framework is "grpc"; wanted http, http+grpc or http+brpc
          framework: http+grpc | #                        | interface.framework is missing; wanted http, http+grpc or http+brpc
          host: 0.0.0.0        | host: here               | interface.host is "here"; wanted an IPv4 address such as 0.0.0.0
          7080, 7081           | 7080                     | interface.port is 7080; wanted two ports, such as 7080,7081, for framework http+grpc
          7080, 7081           | 7080, 7080               | interface.port is "7080, 7080"; wanted two ports, such as 7080,7081, for framework http+grpc
          7080, 7081           | 7080, 99999              | interface.port is "7080, 99999"; wanted two ports, such as 7080,7081, for framework http+grpc
          max_connections: 1000 | max_connections: many   | max_connections is "many"; wanted a whole number from 1 to 1000000
          max_connections: 1000 | #                       | max_connections is missing; wanted a whole number
          max_concurrency: 32  | max_concurrency: 0       | max_concurrency is 0; wanted a whole number from 1 to 1000000
          """)
  void aBadServerFileIsRefusedWithTheKey(String good, String bad, String why) throws IOException {
    write(SERVER.replace(good, bad), INFERENCE);
    assertThatThrownBy(this::read)
        .isInstanceOf(ConfigException.class)
        .hasMessage(folder.resolve("conf/server.yml") + ": " + why);
  }

  @ParameterizedTest(name = "{2}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          name: your_model     | name_: your_model        | models[0].name_ is not a setting; did you mean name?
          '2.0'                | 1.0.0                    | models[1].name is "your_model"; wanted another name or version: your_model-1.0.0 is there already
          inferer_type: torch  | inferer_type: caffe      | models[0].inferer_type is "caffe"; wanted torch, tensorflow, tensorrt or customized
          converter_type: none | converter_type: customized | models[1].converter_type is "customized"; wanted a jar with the converter's code in inferer_path, FOLDER/data/saved
          net.onnx             | net.pt                   | models[0].inferer_path is "./data/net.pt"; wanted an ONNX file, or a folder with model.onnx, saved_model.pb or a jar, below FOLDER
          data/saved           | data                     | models[1].inferer_path is "data"; wanted an ONNX file, or a folder with model.onnx, saved_model.pb or a jar, below FOLDER
          type: dynamic        | type: static             | models[0].batching.type is "static"; wanted none or dynamic
          max_batch_size: 16   | max_batch_size: 0        | models[0].batching.max_batch_size is 0; wanted a whole number from 1 to 1048576
          type: sequential     | type: parallel           | dag.type is "parallel"; wanted sequential
          nodes:               | nodes_:                  | dag.nodes_ is not a setting; did you mean nodes?
          type: model          | type: graph              | dag.nodes[0].type is "graph"; wanted model
          model: your_model-1.0.0 | model: your_model     | dag.nodes[0].model is "your_model"; wanted one of your_model-1.0.0, your_model-2.0
          """)
  void aBadInferenceFileIsRefusedWithTheKey(String good, String bad, String why)
      throws IOException {
    write(SERVER, INFERENCE.replace(good, bad));
    assertThatThrownBy(this::read)
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            folder.resolve("conf/inference.yml") + ": " + why.replace("FOLDER", folder.toString()));
  }

  @Test
  void aDagOfSeveralModelsIsAnEnsembleThatIsMeantByDefault() throws IOException {
    String second = "    - {name: second, type: model, model: your_model-2.0}\n";
    write(SERVER, INFERENCE + second);
    SluiceConfig config = read();
    Path file = folder.resolve("conf/inference.yml");
    assertThat(config.protocols().grps().defaultModel()).contains("your_dag");
    assertThat(config.repository().wanted().listed())
        .containsEntry("your_dag", ListedModel.in(file))
        .hasSize(3);
    ModelConfig dag = new ModelConfigReader(config, warnings::add).read(file);
    assertThat(dag.ensemble())
        .contains(EnsembleConfig.chain(List.of("your_model-1.0.0", "your_model-2.0")));
    assertThat(dag.batching()).isEqualTo(BatchingConfig.DEFAULT);
  }

  @Test
  void aDagHasAnotherNameThanItsModels() throws IOException {
    String second = "    - {name: second, type: model, model: your_model-2.0}\n";
    write(SERVER, INFERENCE.replace("your_dag", "your_model") + second);
    assertThat(read().protocols().grps().defaultModel()).contains("your_model-dag");
    write(SERVER, INFERENCE.replace("name: your_dag", "name:") + second);
    assertThat(read().protocols().grps().defaultModel()).contains("dag");
  }

  @Test
  void aMissingFileIsNamed() throws IOException {
    Files.delete(folder.resolve("conf/inference.yml"));
    assertThatThrownBy(this::read)
        .hasMessage(folder.resolve("conf/inference.yml") + ": no such file");
  }
}
