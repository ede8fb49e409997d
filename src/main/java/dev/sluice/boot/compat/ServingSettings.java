package dev.sluice.boot.compat;

import dev.sluice.boot.compat.CompatFlag.Kind;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.binding.SettingOverride;
import dev.sluice.config.compat.tfs.TensorflowBatchingFile;
import dev.sluice.config.compat.tfs.TensorflowMonitoringFile;
import dev.sluice.config.compat.tfs.TensorflowPlatformFile;
import dev.sluice.config.compat.tfs.TensorflowSessionFile;
import dev.sluice.config.compat.tfs.TensorflowSslFile;
import dev.sluice.config.model.ListedModel;
import dev.sluice.config.security.RemotePath;
import dev.sluice.config.security.TlsConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.ListenerConfig.Protocol;
import dev.sluice.config.server.ListenerConfig.V1Dialect;
import dev.sluice.config.server.RepositoryConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Translates the flags of {@code tensorflow_model_server} to settings of Sluice.
 *
 * <p>The result is the same {@code SluiceConfig} that a settings file gives: behind it the server
 * does not know which command started it. Flags of TensorFlow's own internals are accepted and
 * named in one warning.
 */
public final class ServingSettings {
  private static final String FILE = "file://";
  private static final int GRPC_PORT = 8_500;
  private static final int HIGHEST_PORT = 65_535;
  private static final int MOST = 1_000_000;
  private static final int RETRIES = 5;
  private static final long RETRY_MICROS = 60_000_000;
  private static final long MOST_MICROS = 3_600_000_000L;
  private static final int MOST_THREADS = 1_024;

  /** Of the flags of TensorFlow's compiler, of which there are many. */
  private static final Predicate<String> COMPILER =
      Pattern.compile("--?xla_\\w+(=.*)?").asMatchPredicate();

  private static final List<ServingFlag> ALL_THREADS =
      List.of(
          ServingFlag.TENSORFLOW_SESSION_PARALLELISM,
          ServingFlag.TENSORFLOW_INTRA_OP_PARALLELISM,
          ServingFlag.TENSORFLOW_INTER_OP_PARALLELISM);

  private final CompatFlags<ServingFlag> flags;
  private final Map<String, String> environment;
  private final Consumer<String> warnings;
  private final List<SettingOverride> overrides = new ArrayList<>();

  public ServingSettings(
      CompatFlags<ServingFlag> flags, Map<String, String> environment, Consumer<String> warnings) {
    this.flags = flags;
    this.environment = environment;
    this.warnings = warnings;
  }

  /**
   * Puts everything together.
   *
   * @throws ConfigException naming the flag that is wrong
   */
  public SluiceConfig read() {
    flags.refuse();
    warn();
    models();
    loading();
    admission();
    warmUp();
    flags
        .text(ServingFlag.TENSORFLOW_SESSION_CONFIG_FILE)
        .ifPresent(file -> overrides.addAll(TensorflowSessionFile.read(Path.of(file))));
    batching();
    platform();
    threads();
    mixedPrecision();
    requests();
    SluiceConfig read =
        new SluiceConfigReader(warnings).read(Optional.empty(), environment, overrides);
    RepositoryConfig repository = read.repository();
    return read.with(
        listeners(),
        repository.tensorflow().file().isPresent()
            ? repository.withWanted(DesiredModels.only(Map.of()))
            : repository.withWanted(onlyModel()));
  }

  private void requests() {
    flags
        .text(ServingFlag.REST_API_TIMEOUT_IN_MS)
        .ifPresent(millis ->
            set(ServingFlag.REST_API_TIMEOUT_IN_MS, "limits.request_timeout", millis + "ms"));
    flags
        .text(ServingFlag.SAVED_MODEL_TAGS)
        .ifPresent(tags -> set(ServingFlag.SAVED_MODEL_TAGS, "tensorflow.tags", tags));
    if (flags.on(ServingFlag.ENABLE_SERIALIZATION_AS_TENSOR_CONTENT, false)) {
      set(ServingFlag.ENABLE_SERIALIZATION_AS_TENSOR_CONTENT, "tfs.tensor_content", "true");
    }
    if (flags.on(ServingFlag.ENABLE_SIGNATURE_METHOD_NAME_CHECK, false)) {
      set(ServingFlag.ENABLE_SIGNATURE_METHOD_NAME_CHECK, "tensorflow.method_names", "true");
    }
  }

  private void warn() {
    for (ServingFlag flag : flags.given(Kind.NO_EFFECT)) {
      warnings.accept(flag.flag() + " has no effect: " + flag.text());
    }
    List<String> compiler =
        flags.unknown().stream()
            .filter(COMPILER)
            .map(word -> word.replaceFirst("=.*", ""))
            .distinct()
            .toList();
    if (!compiler.isEmpty()) {
      warnings.accept(
          "these flags have no effect: models are not compiled: " + String.join(", ", compiler));
    }
  }

  /** Rejects flags that the command does not know. */
  public static List<String> unknown(CompatFlags<ServingFlag> flags) {
    return flags.unknown().stream().filter(COMPILER.negate()).toList();
  }

  private List<ListenerConfig> listeners() {
    int grpc = port(ServingFlag.PORT, GRPC_PORT);
    int rest = port(ServingFlag.REST_API_PORT, 0);
    Optional<TlsConfig> tls =
        flags
            .text(ServingFlag.SSL_CONFIG_FILE)
            .map(file -> TensorflowSslFile.read(Path.of(file), warnings));
    Optional<String> metrics = metricsPath(rest);
    List<ListenerConfig> listeners = new ArrayList<>();
    if (grpc != 0) {
      listeners.add(listener(grpc, grpc == rest ? metrics : Optional.empty(), tls));
    }
    flags
        .text(ServingFlag.GRPC_SOCKET_PATH)
        .ifPresent(path ->
            listeners.add(listener(0, Optional.empty(), Optional.empty()).onSocket(path(path))));
    if (rest != 0 && rest != grpc) {
      listeners.add(listener(rest, metrics, Optional.empty()));
    }
    if (listeners.isEmpty()) {
      throw new ConfigException("--port is 0 and so is --rest_api_port; wanted one at least");
    }
    if (grpc != 0 && grpc == rest) {
      warnings.accept("--port and --rest_api_port are the same: both are answered on it");
    }
    return listeners;
  }

  private Optional<String> metricsPath(int rest) {
    Optional<String> path =
        flags
            .text(ServingFlag.MONITORING_CONFIG_FILE)
            .flatMap(file -> TensorflowMonitoringFile.read(Path.of(file), warnings));
    if (path.isPresent() && rest == 0) {
      warnings.accept("--monitoring_config_file shows nothing without --rest_api_port");
    }
    return path;
  }

  /** There, a name that begins with @ is one without a file. */
  private static Path path(String socket) {
    if (socket.startsWith("@")) {
      throw new ConfigException("--grpc_socket_path is " + socket + "; wanted a file");
    }
    return Path.of(socket);
  }

  private ListenerConfig listener(int port, Optional<String> metrics, Optional<TlsConfig> tls) {
    ListenerConfig defaults = ListenerConfig.DEFAULT;
    Set<Protocol> protocols = EnumSet.of(Protocol.TFS);
    protocols.addAll(flags.protocols(ServingFlag.PROTOCOLS));
    if (metrics.isPresent()) {
      protocols.add(Protocol.METRICS);
    }
    return new ListenerConfig(
        "0.0.0.0",
        port,
        protocols,
        protocols.contains(Protocol.KSERVE) ? V1Dialect.BOTH : V1Dialect.TENSORFLOW,
        metrics.orElse(defaults.metricsPath()),
        flags.control(ServingFlag.ENABLE_CONTROL),
        flags.on(ServingFlag.REST_API_ENABLE_CORS_SUPPORT, false),
        tls);
  }

  private int port(ServingFlag flag, int otherwise) {
    return (int) flags.number(flag, otherwise, 0, HIGHEST_PORT);
  }

  private void models() {
    flags
        .text(ServingFlag.MODEL_CONFIG_FILE)
        .ifPresent(
            file -> set(ServingFlag.MODEL_CONFIG_FILE, "models.tensorflow_config.file", file));
    seconds(
        ServingFlag.MODEL_CONFIG_FILE_POLL_WAIT_SECONDS,
        0,
        "models.tensorflow_config.poll_interval");
    seconds(ServingFlag.FILE_SYSTEM_POLL_WAIT_SECONDS, 1, "models.poll_interval");
    if (flags.on(ServingFlag.ALLOW_VERSION_LABELS_FOR_UNAVAILABLE_MODELS, false)) {
      set(
          ServingFlag.ALLOW_VERSION_LABELS_FOR_UNAVAILABLE_MODELS,
          "models.tensorflow_config.labels_for_unavailable",
          "true");
    }
  }

  private void loading() {
    number(ServingFlag.NUM_LOAD_THREADS, 0, MOST_THREADS, "models.loading.threads", "");
    number(ServingFlag.MAX_NUM_LOAD_RETRIES, RETRIES, MOST, "models.loading.retries", "");
    number(
        ServingFlag.LOAD_RETRY_INTERVAL_MICROS,
        RETRY_MICROS,
        MOST_MICROS,
        "models.loading.retry_interval",
        "us");
  }

  /** There, nothing is refused for waiting long. */
  private void admission() {
    overrides.add(
        new SettingOverride(
            "models.defaults.admission.adaptive", "false", "tensorflow_model_server"));
  }

  private void warmUp() {
    if (flags.text(ServingFlag.ENABLE_MODEL_WARMUP).isPresent()) {
      set(
          ServingFlag.ENABLE_MODEL_WARMUP,
          "models.defaults.warmup",
          String.valueOf(flags.on(ServingFlag.ENABLE_MODEL_WARMUP, false)));
    }
    long iterations = flags.number(ServingFlag.NUM_REQUEST_ITERATIONS_FOR_WARMUP, 0, 0, MOST);
    // There, 0 is once.
    set(
        ServingFlag.NUM_REQUEST_ITERATIONS_FOR_WARMUP,
        "models.defaults.warmup_iterations",
        String.valueOf(Math.max(1, iterations)));
  }

  /** There, a negative number of seconds is never; here, that is once. */
  private void seconds(ServingFlag flag, long otherwise, String path) {
    set(flag, path, Math.max(0, flags.number(flag, otherwise, -MOST, MOST)) + "s");
  }

  private void number(ServingFlag flag, long otherwise, long highest, String path, String unit) {
    set(flag, path, flags.number(flag, otherwise, 0, highest) + unit);
  }

  private void set(ServingFlag flag, String path, String value) {
    overrides.add(new SettingOverride(path, value, flag.flag()));
  }

  private void batching() {
    Optional<String> file = flags.text(ServingFlag.BATCHING_PARAMETERS_FILE);
    if (flags.text(ServingFlag.PLATFORM_CONFIG_FILE).isPresent()) {
      return;
    }
    if (flags.on(ServingFlag.ENABLE_BATCHING, false)) {
      overrides.add(TensorflowBatchingFile.threads(file.map(Path::of)));
      List<SettingOverride> ofAll = TensorflowBatchingFile.read(file.map(Path::of), warnings);
      if (flags.on(ServingFlag.ENABLE_PER_MODEL_BATCHING_PARAMETERS, false)) {
        set(
            ServingFlag.ENABLE_PER_MODEL_BATCHING_PARAMETERS,
            "models.tensorflow_config.batching_in_versions",
            "true");
      } else {
        overrides.addAll(ofAll);
      }
    } else if (file.isPresent()) {
      throw new ConfigException("--batching_parameters_file is set without --enable_batching");
    }
  }

  /** There, it replaces what the flags for sessions and batching say. */
  private void platform() {
    flags
        .text(ServingFlag.PLATFORM_CONFIG_FILE)
        .ifPresent(file -> overrides.addAll(TensorflowPlatformFile.read(Path.of(file), warnings)));
  }

  private void mixedPrecision() {
    Optional<String> mode = flags.text(ServingFlag.MIXED_PRECISION);
    if (mode.filter("bfloat16"::equals).isPresent()) {
      set(ServingFlag.MIXED_PRECISION, "tensorflow.mixed_precision", "true");
    } else {
      mode.ifPresent(other ->
          warnings.accept(
              other + " auto mixed precision is not supported. Valid option: bfloat16"));
    }
  }

  private void threads() {
    long session = threads(ServingFlag.TENSORFLOW_SESSION_PARALLELISM, 0);
    long intra = threads(ServingFlag.TENSORFLOW_INTRA_OP_PARALLELISM, session);
    long inter = threads(ServingFlag.TENSORFLOW_INTER_OP_PARALLELISM, session);
    if (session > 0 && intra > 0 && inter > 0 && flags.values().keySet().containsAll(ALL_THREADS)) {
      throw new ConfigException(
          "--tensorflow_session_parallelism is set beside --tensorflow_intra_op_parallelism and"
              + " --tensorflow_inter_op_parallelism; wanted the one or the others");
    }
    if (intra > 0) {
      set(ServingFlag.TENSORFLOW_INTRA_OP_PARALLELISM, "tensorflow.intra_op_threads", "" + intra);
    }
    if (inter > 0) {
      set(ServingFlag.TENSORFLOW_INTER_OP_PARALLELISM, "tensorflow.inter_op_threads", "" + inter);
    }
  }

  private long threads(ServingFlag flag, long otherwise) {
    return flags.number(flag, otherwise, 0, MOST_THREADS);
  }

  private static Path localFolder(String path) {
    String text = path.startsWith(FILE) ? path.substring(FILE.length()) : path;
    if (RemotePath.is(text)) {
      throw CompatFlags.wanted(ServingFlag.MODEL_BASE_PATH, "'" + path + "'", RemotePath.WANTED);
    }
    return Path.of(text);
  }

  /** Without a path, where the Docker image of TensorFlow Serving looks. */
  private DesiredModels onlyModel() {
    String name = environment.getOrDefault("MODEL_NAME", "model");
    Optional<String> path = flags.text(ServingFlag.MODEL_BASE_PATH);
    String otherwise = path.isPresent() ? "default" : name;
    Path folder =
        path.map(ServingSettings::localFolder)
            .orElseGet(() ->
                localFolder(environment.getOrDefault("MODEL_BASE_PATH", "/models")).resolve(name));
    return DesiredModels.only(
        Map.of(
            flags.text(ServingFlag.MODEL_NAME).orElse(otherwise),
            ListedModel.in(folder.toAbsolutePath())));
  }
}
