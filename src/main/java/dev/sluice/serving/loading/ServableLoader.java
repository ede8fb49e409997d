package dev.sluice.serving.loading;

import dev.sluice.config.model.InstanceLimit;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.extension.Setup;
import dev.sluice.inference.DataPlane;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.control.RecordedRequests;
import dev.sluice.repository.LoadedModel;
import dev.sluice.repository.Loader;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.ModelSource;
import dev.sluice.runtime.RuntimeProvider;
import dev.sluice.runtime.plugin.PluginCode;
import dev.sluice.scheduling.caching.ResponseCache;
import dev.sluice.scheduling.deadline.CallerContexts;
import dev.sluice.scheduling.ratelimit.InstancePermit;
import dev.sluice.scheduling.ratelimit.RateLimiter;
import dev.sluice.serving.CachedModel;
import dev.sluice.serving.ClassLabels;
import dev.sluice.serving.SequenceModel;
import dev.sluice.serving.Servable;
import dev.sluice.serving.ServableConverted;
import dev.sluice.serving.ServableEnsemble;
import dev.sluice.serving.ServableModel;
import dev.sluice.serving.ServablePlugin;
import dev.sluice.serving.control.LoadPolicy;
import dev.sluice.serving.plugin.PluginMetrics;
import dev.sluice.serving.plugin.PluginModels;
import dev.sluice.serving.plugin.PluginPaths;
import dev.sluice.serving.plugin.PluginVersion;
import dev.sluice.serving.plugin.PluginVersionMetrics;
import dev.sluice.serving.worker.ConcurrencyMonitor;
import dev.sluice.serving.worker.ModelInstances;
import dev.sluice.serving.worker.WorkerPool;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.telemetry.meter.VersionMeter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Opens models with the runtime that recognises their files, and puts them to work.
 *
 * <p>Blocks, often for seconds; runs on a loading worker. Whatever fails on the way, all that was
 * opened is closed again, and the failure says what was tried.
 */
public final class ServableLoader implements Loader {
  /** The file in which TensorFlow Extended leaves the metadata store's id of a SavedModel. */
  private static final String METADATA_ID = "assets.extra/mlmd_uuid";

  /** Of all loaders of the process: a server that warms itself up has a second one. */
  private static final AtomicLong LOADS = new AtomicLong();

  private final List<RuntimeProvider> runtimes;
  private final Telemetry telemetry;
  private final CallerContexts contexts;
  private final LongSupplier nanoTime;
  private final ResponseCache cache;
  private final Supplier<DataPlane> members;
  private final PluginPaths paths;
  private final RecordedRequests recorded;

  private final LoadPolicy policy;
  private final long maxOutputSize;
  private final RateLimiter limiter;
  private final ConcurrencyMonitor concurrency;
  private final PluginMetrics pluginMetrics = new PluginMetrics();

  /**
   * @param cache keeps answers of models that want it
   * @param members where ensembles and a plugin find and ask other models
   * @param paths where a plugin answers
   * @param recorded what models bring to be warmed up with
   * @param policy which models may be code
   * @param maxOutputSize bytes of each output of a run
   * @param limiter lets sessions run
   */
  public ServableLoader(
      List<RuntimeProvider> runtimes,
      Telemetry telemetry,
      CallerContexts contexts,
      LongSupplier nanoTime,
      ResponseCache cache,
      Supplier<DataPlane> members,
      PluginPaths paths,
      RecordedRequests recorded,
      LoadPolicy policy,
      long maxOutputSize,
      RateLimiter limiter) {
    this.limiter = limiter;
    this.maxOutputSize = maxOutputSize;
    this.policy = policy;
    this.cache = cache;
    this.members = members;
    this.paths = paths;
    this.recorded = recorded;
    this.runtimes = List.copyOf(runtimes);
    this.telemetry = telemetry;
    this.contexts = contexts;
    this.nanoTime = nanoTime;
    this.concurrency =
        new ConcurrencyMonitor(contexts.vertx(), Runtime.getRuntime().availableProcessors());
    pluginMetrics.addTo(telemetry);
  }

  @Override
  public LoadedModel load(ModelId id, Path folder, ModelConfig config) {
    List<Path> jars = PluginCode.jarsIn(folder);
    if (jars.isEmpty()) {
      return CachedModel.of(open(id, folder, config), config, cache);
    }
    policy.requirePlugins(id, folder, jars);
    return CachedModel.of(openCode(id, folder, config), config, cache);
  }

  private Servable open(ModelId id, Path folder, ModelConfig config) {
    return config
        .ensemble()
        .<Servable>map(ensemble ->
            ServableEnsemble.open(telemetry.version(id), ensemble, config, members.get(), nanoTime))
        .orElseGet(() -> openFiles(id, folder, config));
  }

  /** Returns a plugin alone, or around the ensemble, or the model whose files lie beside it. */
  private Servable openCode(ModelId id, Path folder, ModelConfig config) {
    long begun = nanoTime.getAsLong();
    PluginCode code = code(id, folder, config);
    boolean around =
        config.ensemble().isPresent()
            || runtimes.stream().anyMatch(runtime -> runtime.recognises(folder));
    try {
      requireOneModel(id, code, around);
      if (!around && code.converter().isEmpty()) {
        return codeAlone(telemetry.version(id), code, config, begun);
      }
      Servable model = open(id, folder, config);
      return ServableConverted.around(model, () -> version(code, config, model.meter()));
    } catch (RuntimeException | Error e) {
      code.close();
      throw e;
    }
  }

  private static void requireOneModel(ModelId id, PluginCode code, boolean around) {
    if (around && (code.model().isPresent() || code.streaming().isPresent())) {
      throw new InferenceException(
          ErrorCode.FAILED_PRECONDITION,
          "model %s has files of a model or steps, and its jar holds a model too; wanted one of them"
              .formatted(id));
    }
  }

  private Servable codeAlone(VersionMeter meter, PluginCode code, ModelConfig config, long begun) {
    PluginVersion version = version(code, config, meter);
    try {
      var alone = new ServablePlugin(version, config, meter, nanoTime);
      meter.loaded(nanoTime.getAsLong() - begun);
      meter.show();
      return alone;
    } catch (RuntimeException | Error e) {
      version.close();
      throw e;
    }
  }

  private PluginVersion version(PluginCode code, ModelConfig config, VersionMeter meter) {
    return PluginVersion.of(code, config, paths, meter, contexts, nanoTime);
  }

  private PluginCode code(ModelId id, Path folder, ModelConfig config) {
    PluginVersionMetrics metrics = pluginMetrics.of(id);
    return PluginCode.open(
        new Setup(
            id.name(),
            id.version(),
            folder,
            config.runtimes().java().settings(),
            new PluginModels(members.get(), contexts),
            metrics),
        metrics::close);
  }

  private Servable openFiles(ModelId id, Path folder, ModelConfig said) {
    Path files = VersionLocation.of(folder, said);
    var source = new ModelSource(id, files, said.runtimes());
    VersionMeter meter = telemetry.version(id);
    long begun = nanoTime.getAsLong();
    var opener =
        new SessionOpener(
            runtimeFor(id, files),
            source,
            folder,
            recorded,
            telemetry.loads(),
            maxOutputSize,
            nanoTime);
    SessionOpener.Opened opened = opener.open(said);
    try {
      ModelMetadata metadata = metadata(opened);
      UnsupportedOutputs.require(id, metadata);
      if (Files.exists(files.resolve(METADATA_ID))) {
        telemetry.loads().metadataId(id);
      }
      meter.loaded(nanoTime.getAsLong() - begun);
      return start(id, metadata, opened, meter, () -> opener.openBeside(opened));
    } catch (RuntimeException | Error e) {
      opened.sessions().forEach(ModelSession::close);
      throw e;
    }
  }

  private static ModelMetadata metadata(SessionOpener.Opened opened) {
    ModelConfig config = opened.config();
    return opened
        .sessions()
        .getFirst()
        .metadata()
        .withMaxBatchSize(opened.completed().shownBatchSize())
        .withDecoupled(config.stream().decoupled())
        .withQueueTimeouts(config.queue().hasPolicies())
        .withClassLabels(ClassLabels.read(config.classLabels()));
  }

  private Servable start(
      ModelId id,
      ModelMetadata metadata,
      SessionOpener.Opened opened,
      VersionMeter meter,
      Supplier<ModelSession> beside) {
    ModelConfig config = opened.config();
    List<ModelSession> sessions = opened.sessions();
    List<InstancePermit> permits = limiter.permits(InstanceLimit.of(config), sessions.size());
    var instances = new ModelInstances(sessions, permits, beside);
    var pool = new WorkerPool(contexts, poolName(id), concurrency, nanoTime);
    try {
      return config.sequence().isPresent()
          ? SequenceModel.start(metadata, instances, config, meter, pool)
          : ServableModel.start(metadata, instances, config, meter, pool);
    } catch (RuntimeException | Error e) {
      permits.forEach(InstancePermit::close);
      throw e;
    }
  }

  private RuntimeProvider runtimeFor(ModelId id, Path folder) {
    for (RuntimeProvider runtime : runtimes) {
      if (runtime.recognises(folder)) {
        return runtime;
      }
    }
    throw new InferenceException(
        ErrorCode.INVALID_ARGUMENT,
        "no runtime here (%s) recognises the files of model %s in %s"
            .formatted(
                runtimes.stream().map(RuntimeProvider::name).collect(Collectors.joining(", ")),
                id,
                folder));
  }

  /**
   * Returns the name of a version's thread pool; two loads of the same version must not share
   * threads.
   */
  private static String poolName(ModelId id) {
    return "model-" + id + "-" + LOADS.incrementAndGet();
  }
}
