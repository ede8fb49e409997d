package dev.sluice.boot;

import dev.sluice.boot.log.DeduplicatedWarnings;
import dev.sluice.config.ModelConfigReader;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.server.ControlConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.LimitsConfig;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.tfs.grpc.PredictSettings;
import dev.sluice.protocol.tfs.grpc.WarmUpRequests;
import dev.sluice.protocol.tfs.requestlog.RequestLogs;
import dev.sluice.repository.Loader;
import dev.sluice.repository.ModelRepository;
import dev.sluice.repository.ModelSettings;
import dev.sluice.runtime.RuntimeProvider;
import dev.sluice.runtime.isolation.IsolatingProvider;
import dev.sluice.runtime.isolation.ProcessLauncher;
import dev.sluice.runtime.onnx.OnnxRuntimeProvider;
import dev.sluice.runtime.tensorflow.TensorflowRuntimeProvider;
import dev.sluice.scheduling.caching.ResponseCache;
import dev.sluice.scheduling.ratelimit.RateLimiter;
import dev.sluice.serving.InferencePipeline;
import dev.sluice.serving.control.LoadPolicy;
import dev.sluice.serving.control.ModelControl;
import dev.sluice.serving.loading.GuardedLoader;
import dev.sluice.serving.loading.ServableLoader;
import dev.sluice.serving.loading.VersionBatching;
import dev.sluice.serving.plugin.PluginPaths;
import dev.sluice.telemetry.ServerClock;
import dev.sluice.telemetry.Telemetry;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;

/** Composes the core of a server: repository, control plane and data plane. */
final class ServerCore {
  /** The part of the memory budget that kept answers may have. */
  private static final int CACHE_PART = 4;

  private final SluiceConfig config;
  private final RequestLogs logs;
  private final Optional<TensorflowModels> file;
  private final PluginPaths paths = new PluginPaths();
  private final ModelRepository repository;
  private final ModelControl control;
  private final InferencePipeline data;

  /** Made on a thread that is not Vert.x's. Nothing is looked for yet. */
  ServerCore(SluiceConfig config, ServerThreads threads, Telemetry telemetry) {
    this.config = config;
    this.logs = requestLogs(telemetry);
    this.file =
        config.repository().tensorflow().file().map(path -> new TensorflowModels(path, logs));
    var news = new RepositoryEventLog(LoggerFactory.getLogger("dev.sluice.models"));
    var reader = new ModelConfigReader(config, new DeduplicatedWarnings(news::warning));
    RepositoryConfig first = firstModels();
    var policy = new LoadPolicy(config.repository().trust(), first.wanted());
    if (file.isPresent()) {
      require(policy, first.wanted());
    }
    this.repository =
        new ModelRepository(
            first,
            settings(reader),
            loader(threads, telemetry, paths, policy, news::warning),
            new LoadingWorkers(threads),
            InstantSource.system(),
            news);
    this.control = control(reader, policy, telemetry);
    this.data = new InferencePipeline(repository, paths, threads.contexts(), ServerClock.NANO_TIME);
  }

  private RequestLogs requestLogs(Telemetry telemetry) {
    return new RequestLogs(
        config.repository().defaults().runtimes().tensorflow().tags(),
        telemetry.loads(),
        InstantSource.system(),
        config.protocols().tfs().requestLogFolder());
  }

  private ModelControl control(ModelConfigReader reader, LoadPolicy policy, Telemetry telemetry) {
    return new ModelControl(
        repository,
        reader,
        config.repository().control(),
        policy,
        config.protocols().grps().onlineAtStart(),
        config.repository().tensorflow().labelsForUnavailable(),
        telemetry.liveness());
  }

  /** Returns the models to serve at first. */
  private RepositoryConfig firstModels() {
    RepositoryConfig models = config.repository();
    return file.map(TensorflowModels::first).map(models::withWanted).orElse(models);
  }

  /** Requires that every model that a file lists lies where models may be loaded from. */
  private static void require(LoadPolicy policy, DesiredModels listed) {
    try {
      policy.requireListed(listed.listed());
    } catch (InferenceException e) {
      throw new ConfigException(String.valueOf(e.getMessage()));
    }
  }

  private static ModelSettings settings(ModelConfigReader reader) {
    return folder -> {
      try {
        return reader.read(folder);
      } catch (ConfigException e) {
        throw new InferenceException(
            ErrorCode.FAILED_PRECONDITION, String.valueOf(e.getMessage()), e);
      }
    };
  }

  private Loader loader(
      ServerThreads threads,
      Telemetry telemetry,
      PluginPaths paths,
      LoadPolicy policy,
      Consumer<String> warnings) {
    var tensorflow = new TensorflowRuntimeProvider();
    telemetry.add(new TensorflowCoreMetrics(tensorflow.totals()));
    var opening =
        new ServableLoader(
            runtimes(tensorflow, config.limits()),
            telemetry,
            threads.contexts(),
            ServerClock.NANO_TIME,
            new ResponseCache(cacheSize(config.limits()), ServerClock.NANO_TIME),
            this::data,
            paths,
            new WarmUpRequests(predict(config)),
            policy,
            config.limits().maxOutputSize(),
            new RateLimiter(config.repository().rateLimit()));
    var loader = new GuardedLoader(opening, policy);
    return config.repository().tensorflow().batchingInVersions()
        ? new VersionBatching(loader, warnings)
        : loader;
  }

  private static List<RuntimeProvider> runtimes(RuntimeProvider tensorflow, LimitsConfig limits) {
    var launcher = new ProcessLauncher(ModelProcessMain.class.getName());
    return Stream.of(new OnnxRuntimeProvider(limits.onnxMemoryLimit()), tensorflow)
        .<RuntimeProvider>map(
            runtime -> new IsolatingProvider(runtime, launcher, limits.maxOutputSize()))
        .toList();
  }

  /** Kept answers are counted with what requests hold, and leave them most of it. */
  private static long cacheSize(LimitsConfig limits) {
    return Math.min(limits.cacheSize(), limits.memoryBudget() / CACHE_PART);
  }

  static PredictSettings predict(SluiceConfig config) {
    return new PredictSettings(
        config.limits().maxBodySize(), config.protocols().tfs().tensorContent());
  }

  /** Returns the logs that keep calls of TensorFlow Serving's protocol. */
  RequestLogs requestLogs() {
    return logs;
  }

  ModelRepository repository() {
    return repository;
  }

  /** Returns the HTTP paths of plugins. */
  PluginPaths paths() {
    return paths;
  }

  /** Returns the data plane. */
  InferencePipeline data() {
    return data;
  }

  /** Manages models. */
  ModelControl control() {
    return control;
  }

  /**
   * Clears up behind earlier servers, and looks for models for the first time. Blocks on the file
   * system.
   */
  void scan() {
    ModelControl.deleteAbandoned();
    IsolatingProvider.deleteAbandoned();
    repository.scan();
  }

  /** Goes on looking for changes in folders, and in the file that lists models. */
  void schedule(PeriodicTasks periodicTasks) {
    RepositoryConfig models = config.repository();
    if (models.control().mode() == ControlConfig.Mode.POLL) {
      periodicTasks.schedule("the model folders", models.effectivePollInterval(), repository::scan);
    }
    file.ifPresent(listed ->
        periodicTasks.schedule(
            "the model config file",
            models.tensorflow().pollInterval(),
            () -> listed.look(control)));
  }
}
