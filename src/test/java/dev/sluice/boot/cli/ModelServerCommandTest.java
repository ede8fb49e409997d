package dev.sluice.boot.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.boot.compat.CompatFlags;
import dev.sluice.boot.compat.ServingFlag;
import dev.sluice.boot.compat.ServingSettings;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.model.ListedModel;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.QueueConfig;
import dev.sluice.config.model.TensorflowConfig;
import dev.sluice.config.security.ControlAccess;
import dev.sluice.config.security.Pem;
import dev.sluice.config.security.TlsConfig;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.ListenerConfig.Protocol;
import dev.sluice.config.server.ListenerConfig.V1Dialect;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the flags of TensorFlow Serving's command mean. */
class ModelServerCommandTest {
  private static final Set<ServingFlag> OWN_FLAGS =
      EnumSet.of(ServingFlag.ENABLE_CONTROL, ServingFlag.PROTOCOLS);

  private final List<String> warnings = new ArrayList<>();

  @Test
  void portsAreThoseOfTheCommandOnAllInterfaces() {
    assertThat(read("--model_base_path=/m").listeners())
        .extracting(ListenerConfig::address)
        .containsExactly("0.0.0.0:8500");
    Read both = read("--model_base_path=/m", "--port=9000", "--rest_api_port", "9001");
    assertThat(both.listeners())
        .extracting(ListenerConfig::address)
        .containsExactly("0.0.0.0:9000", "0.0.0.0:9001");
    assertThat(both.listeners())
        .allMatch(listener -> listener.v1() == V1Dialect.TENSORFLOW)
        .noneMatch(listener -> !listener.control().equals(ControlAccess.POLICY) || listener.cors());
    assertThat(read("--rest_api_enable_cors_support").listeners().getFirst().cors()).isTrue();
    assertThat(read("--port=0", "--rest_api_port=1", "--enable_control").listeners())
        .extracting(ListenerConfig::control)
        .containsExactly(ControlAccess.OPEN);
  }

  @Test
  void theOnlyModelHasANameAndAFolder() {
    assertThat(read("--model_base_path=/m/a").wantedModels())
        .isEqualTo(Map.of("default", ListedModel.in(Path.of("/m/a"))));
    assertThat(read("--model_base_path=file:///m/a").wantedModels())
        .isEqualTo(Map.of("default", ListedModel.in(Path.of("/m/a"))));
    assertThat(read("--model_base_path=/m/a", "--model_name=a").wantedModels())
        .isEqualTo(Map.of("a", ListedModel.in(Path.of("/m/a"))));
  }

  @Test
  void withoutAFlagTheModelIsWhereTheDockerImageLooks() {
    assertThat(read(Map.of()).wantedModels())
        .isEqualTo(Map.of("model", ListedModel.in(Path.of("/models/model"))));
    assertThat(read(Map.of("MODEL_NAME", "a", "MODEL_BASE_PATH", "/b")).wantedModels())
        .isEqualTo(Map.of("a", ListedModel.in(Path.of("/b/a"))));
  }

  @Test
  void aConfigFileStandsForAllModels() {
    var models =
        read(
                "--model_config_file=/m.config",
                "--model_config_file_poll_wait_seconds=7",
                "--allow_version_labels_for_unavailable_models",
                "--model_name=ignored")
            .config()
            .repository();
    assertThat(models.tensorflow().file()).contains(Path.of("/m.config"));
    assertThat(models.tensorflow().pollInterval()).isEqualTo(Duration.ofSeconds(7));
    assertThat(models.tensorflow().labelsForUnavailable()).isTrue();
    assertThat(models.wanted().listed()).isEmpty();
  }

  @Test
  void loadingIsAsThere() {
    var loading = read().config().repository().loading();
    assertThat(loading.retries()).isEqualTo(5);
    assertThat(loading.retryInterval()).isEqualTo(Duration.ofMinutes(1));
    var other =
        read("--num_load_threads=3", "--max_num_load_retries=0", "--load_retry_interval_micros=9")
            .config()
            .repository()
            .loading();
    assertThat(other.threads()).isEqualTo(3);
    assertThat(other.retries()).isZero();
    assertThat(other.retryInterval()).isEqualTo(Duration.ofNanos(9_000));
  }

  @Test
  void aNegativePollIntervalIsOnce() {
    assertThat(read("--file_system_poll_wait_seconds=-1").config().repository().pollInterval())
        .isEqualTo(Duration.ZERO);
    assertThat(read().config().repository().pollInterval()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void requestsAreJoinedByTheDefaultsThereOrByAFile(@TempDir Path folder) throws IOException {
    assertThat(defaults().batching().joined()).isFalse();
    ModelConfig plain = defaults("--enable_batching");
    assertThat(plain.batching().maxBatchSize()).isEqualTo(1_000);
    assertThat(plain.batching().joined()).isTrue();
    assertThat(plain.queue().maxQueuedRequests()).isEqualTo(10_000);
    assertThat(plain.queue().whenFull()).isEqualTo(QueueConfig.WhenFull.UNAVAILABLE);
    Path file =
        Files.writeString(
            folder.resolve("batching"),
            """
            max_batch_size { value: 64 } batch_timeout_micros { value: 500 }
            max_enqueued_batches { value: 3 } num_batch_threads { value: 4 }
            allowed_batch_sizes: 8 allowed_batch_sizes: 64
            """);
    ModelConfig read = defaults("--enable_batching", "--batching_parameters_file=" + file);
    assertThat(read.batching().maxBatchSize()).isEqualTo(64);
    assertThat(read.batching().maxQueueDelay()).isEqualTo(Duration.ofNanos(500_000));
    assertThat(read.batching().allowedBatchSizes()).containsExactly(8, 64);
    assertThat(read.queue().maxQueuedRequests()).isEqualTo(192);
    assertThat(read.queue().whenFull()).isEqualTo(QueueConfig.WhenFull.UNAVAILABLE);
    assertThat(read.workers().concurrency()).isEqualTo(4);
    assertThat(read.batching().padVariableLengthInputs()).isFalse();
    assertThat(plain.workers().concurrency()).isEqualTo(Runtime.getRuntime().availableProcessors());
    assertThat(warnings).isEmpty();
    Files.writeString(file, "pad_variable_length_inputs: true");
    assertThat(
            defaults("--enable_batching", "--batching_parameters_file=" + file)
                .batching()
                .padVariableLengthInputs())
        .isTrue();
  }

  @Test
  void aBatchingFileWithAFieldThatThereIsNoneOfIsRefused(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("batching"), "max_batch { value: 64 }");
    assertThatThrownBy(() -> defaults("--enable_batching", "--batching_parameters_file=" + file))
        .hasMessageStartingWith(
            file
                + ": Message type \"tensorflow.serving.BatchingParameters\" has no field named"
                + " \"max_batch\"; wanted one of allowed_batch_sizes, ");
    Files.writeString(file, "max_batch_size { vlaue: 64 }");
    assertThatThrownBy(() -> defaults("--enable_batching", "--batching_parameters_file=" + file))
        .hasMessageContaining("has no field named \"vlaue\"; wanted one of value");
  }

  @Test
  void eachVersionMayHaveABatchingFileOfItsOwn() {
    String each = "--enable_per_model_batching_parameters";
    assertThat(batchingInVersions("--enable_batching")).isFalse();
    assertThat(batchingInVersions("--enable_batching", each)).isTrue();
    assertThat(batchingInVersions(each)).isFalse();
    assertThat(defaults("--enable_batching", each).batching().joined()).isFalse();
  }

  private boolean batchingInVersions(String... flags) {
    return read(flags).config().repository().tensorflow().batchingInVersions();
  }

  @Test
  void threadsTagsAndTimeouts() {
    SluiceConfig config =
        read(
                "--tensorflow_intra_op_parallelism=2",
                "--tensorflow_inter_op_parallelism=3",
                "--saved_model_tags=serve,tpu",
                "--rest_api_timeout_in_ms=250",
                "--enable_model_warmup=false")
            .config();
    var tensorflow = config.repository().defaults().runtimes().tensorflow();
    assertThat(tensorflow.intraOpThreads()).isEqualTo(2);
    assertThat(tensorflow.interOpThreads()).isEqualTo(3);
    assertThat(tensorflow.tags()).containsExactly("serve", "tpu");
    assertThat(config.limits().requestTimeout()).isEqualTo(Duration.ofMillis(250));
    assertThat(config.repository().defaults().warmup()).isFalse();
  }

  @Test
  void warmUpsAndAnswersAreAsTheFlagsSay() {
    assertThat(defaults().warmupIterations()).isEqualTo(1);
    assertThat(defaults("--num_request_iterations_for_warmup=3").warmupIterations()).isEqualTo(3);
    assertThat(read().config().protocols().tfs().tensorContent()).isFalse();
    assertThat(
            read("--enable_serialization_as_tensor_content")
                .config()
                .protocols()
                .tfs()
                .tensorContent())
        .isTrue();
  }

  @Test
  void aSocketForGrpcStandsBesideThePortOrAlone() {
    assertThat(read("--grpc_socket_path=/run/tf.sock").listeners())
        .extracting(ListenerConfig::address)
        .containsExactly("0.0.0.0:8500", "unix:/run/tf.sock");
    assertThat(read("--grpc_socket_path=/run/tf.sock", "--port=0").listeners())
        .extracting(ListenerConfig::address)
        .containsExactly("unix:/run/tf.sock");
  }

  @Test
  void certificatesOfASslFileAreForTheGrpcPortAlone(@TempDir Path folder) throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("ssl"),
            """
            server_key: "-----BEGIN PRIVATE KEY-----\\n" "x" server_cert: 'cert'
            custom_ca: "ca" client_verify: true
            """);
    var listeners = read("--ssl_config_file=" + file, "--rest_api_port=8501").listeners();
    assertThat(listeners.getFirst().tls())
        .contains(
            new TlsConfig(
                new Pem.Written(file + ": server_cert", "cert"),
                new Pem.Written(file + ": server_key", "-----BEGIN PRIVATE KEY-----\nx"),
                Optional.of(new Pem.Written(file + ": custom_ca", "ca"))));
    assertThat(listeners.getLast().tls()).isEmpty();
    Files.writeString(file, "server_cert: 'cert'");
    assertThatThrownBy(() -> read("--ssl_config_file=" + file))
        .hasMessage(file + ": has no server_key; wanted PEM");
  }

  @Test
  void metricsAreOnTheRestPortIfAFileSaysSo(@TempDir Path folder) throws IOException {
    assertThat(read("--rest_api_port=8501").listeners())
        .noneMatch(listener -> listener.protocols().contains(Protocol.METRICS));
    Path file = Files.writeString(folder.resolve("m"), "prometheus_config { enable: true }");
    var listeners = read("--monitoring_config_file=" + file, "--rest_api_port=8501").listeners();
    assertThat(listeners.getFirst().protocols()).doesNotContain(Protocol.METRICS);
    assertThat(listeners.getLast().protocols()).contains(Protocol.METRICS);
    assertThat(listeners.getLast().metricsPath()).isEqualTo("/monitoring/prometheus/metrics");
    Files.writeString(file, "prometheus_config { enable: true, path: 'x' }");
    assertThatThrownBy(() -> read("--monitoring_config_file=" + file))
        .hasMessage(file + ": path is x; wanted a path such as /monitoring/prometheus/metrics");
  }

  @Test
  void flagsWithoutAnEffectSayWhy() {
    read("--enable_profiler", "--xla_cpu_foo=1", "--grpc_max_threads=4", "--mixed_precision", "b");
    assertThat(warnings)
        .containsExactly(
            "--grpc_max_threads has no effect: event loops read and write, one for each core",
            "--enable_profiler has no effect: there is no profiler service; metrics and traces show"
                + " times",
            "these flags have no effect: models are not compiled: --xla_cpu_foo",
            "b auto mixed precision is not supported. Valid option: bfloat16");
  }

  @Test
  void everyFlagOfTheCommandIsKnownByItsFate() throws IOException {
    Path file = Path.of("src/test/resources/tfs/flags.txt");
    List<String> listed =
        Files.readAllLines(file).stream().filter(line -> !line.startsWith("#")).toList();
    List<String> known =
        Arrays.stream(ServingFlag.values())
            .filter(flag -> !OWN_FLAGS.contains(flag))
            .map(flag -> flag.flag().substring(2) + " " + fate(flag))
            .toList();
    assertThat(known).containsExactlyInAnyOrderElementsOf(listed);
    assertThat(ServingFlag.values()).allMatch(flag -> !flag.text().isEmpty());
  }

  private static String fate(ServingFlag flag) {
    return switch (flag.kind()) {
      case VALUE, SWITCH -> "effect";
      case REFUSED -> "refused";
      case NO_EFFECT -> "none";
    };
  }

  @Test
  void portsCarryTheCommandsProtocolUnlessMoreIsAskedFor() {
    assertThat(read("--rest_api_port=8501").listeners())
        .allMatch(listener -> listener.protocols().equals(Set.of(Protocol.TFS)));
    assertThat(read("--protocols=oip,kserve").listeners())
        .allMatch(listener ->
            listener.protocols().equals(Set.of(Protocol.TFS, Protocol.OIP, Protocol.KSERVE))
                && listener.v1() == V1Dialect.BOTH);
    assertThatThrownBy(() -> read("--protocols=http"))
        .hasMessage("--protocols is http; wanted kserve, oip, grps, brpc, openai, metrics or tfs");
  }

  @Test
  void sessionsAreOpenedAsAFileSaysAndFlagsComeFirst(@TempDir Path folder) throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("session"),
            "intra_op_parallelism_threads: 3 inter_op_parallelism_threads: 2"
                + " graph_options { rewrite_options { constant_folding: OFF } }");
    String flag = "--tensorflow_session_config_file=" + file;
    assertThat(tensorflow(flag).intraOpThreads()).isEqualTo(3);
    assertThat(tensorflow(flag).interOpThreads()).isEqualTo(2);
    assertThat(tensorflow(flag).sessionOptions().text()).contains("constant_folding: OFF");
    assertThat(tensorflow(flag, "--tensorflow_intra_op_parallelism=5").intraOpThreads())
        .isEqualTo(5);
    Files.writeString(file, "graph_options { rewrite_options { folding: OFF } }");
    assertThatThrownBy(() -> read(flag))
        .hasMessageStartingWith(
            file + ": Message type \"rewrite_options\" has no field named \"folding\"");
    assertThat(tensorflow("--mixed_precision=bfloat16").mixedPrecision()).isTrue();
  }

  @Test
  void aPlatformConfigFileStandsForTheFlagsOfSessionsAndBatching(@TempDir Path folder)
      throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("platform"),
            """
            platform_configs {
              key: "tensorflow"
              value {
                source_adapter_config {
                  [type.googleapis.com/tensorflow.serving.SavedModelBundleSourceAdapterConfig] {
                    legacy_config {
                      batching_parameters { max_batch_size { value: 16 } num_batch_threads { value: 3 } }
                      session_config { inter_op_parallelism_threads: 2 }
                      saved_model_tags: "serve" saved_model_tags: "gpu"
                      enable_model_warmup: true
                      session_target: "local"
                    }
                  }
                }
              }
            }
            """);
    String flag = "--platform_config_file=" + file;
    assertThat(defaults(flag).batching().maxBatchSize()).isEqualTo(16);
    assertThat(defaults(flag).workers().concurrency()).isEqualTo(3);
    assertThat(tensorflow(flag).interOpThreads()).isEqualTo(2);
    assertThat(tensorflow(flag).tags()).containsExactly("serve", "gpu");
    assertThat(warnings).contains(file + ": has no meaning here: session_target");
    Files.writeString(file, "platform_configs { key: 'hashmap' value { } }");
    assertThatThrownBy(() -> read(flag))
        .hasMessage(file + ": platform 'hashmap' is not served here; wanted tensorflow");
  }

  private TensorflowConfig tensorflow(String... arguments) {
    return defaults(arguments).runtimes().tensorflow();
  }

  @Test
  void unknownFlagsAreReported() {
    assertThat(ServingSettings.unknown(parse("--port=1", "--colour=red", "--xla_a", "word")))
        .containsExactly("--colour=red", "word");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --model_base_path=gs://b/m | --model_base_path is 'gs://b/m'; wanted a folder of this machine (storage on other systems is mounted or copied first)
          --port=x | --port is x; wanted a whole number from 0 to 65535
          --port=70000 | --port is 70000; wanted a whole number from 0 to 65535
          --port | --port: has no value
          --port=0 | --port is 0 and so is --rest_api_port; wanted one at least
          --enable_batching=maybe | --enable_batching is maybe; wanted true or false
          --ssl_config_file=/no/s | /no/s: no such file
          --use_alts_credentials | --use_alts_credentials is not served here: ALTS exists on Google's machines only; use --ssl_config_file
          --grpc_socket_path=@a | --grpc_socket_path is @a; wanted a file
          --num_request_iterations_for_warmup=-1 | --num_request_iterations_for_warmup is -1; wanted a whole number from 0 to 1000000
          --batching_parameters_file=/b | --batching_parameters_file is set without --enable_batching
          """)
  void anErrorNamesItsFlag(String flag, String text) {
    assertThatThrownBy(() -> read(flag)).isInstanceOf(ConfigException.class).hasMessage(text);
  }

  /** Settings, and the short way to their models. */
  private record Read(SluiceConfig config) {
    Map<String, ListedModel> wantedModels() {
      return config.repository().wanted().listed();
    }

    List<ListenerConfig> listeners() {
      return config.listeners();
    }
  }

  private ModelConfig defaults(String... arguments) {
    return read(arguments).config().repository().defaults();
  }

  private Read read(String... arguments) {
    return read(Map.of(), arguments);
  }

  private Read read(Map<String, String> environment, String... arguments) {
    return new Read(new ServingSettings(parse(arguments), environment, warnings::add).read());
  }

  private static CompatFlags<ServingFlag> parse(String... arguments) {
    return CompatFlags.parse(ServingFlag.class, List.of(arguments));
  }
}
