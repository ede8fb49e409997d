package dev.sluice.boot;

import dev.sluice.boot.accesslog.AccessLogWriter;
import dev.sluice.boot.cli.ModelLine;
import dev.sluice.boot.cli.Server;
import dev.sluice.boot.cli.VersionText;
import dev.sluice.boot.inferencelog.InferenceLogWriter;
import dev.sluice.boot.inferencelog.RecordingDataPlane;
import dev.sluice.boot.log.LogLevels;
import dev.sluice.boot.otlp.OtlpExport;
import dev.sluice.boot.warmup.CompilerThreads;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.server.LatencyMetricsConfig;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.OipConfig;
import dev.sluice.config.server.SharedMemoryConfig;
import dev.sluice.config.server.ShutdownConfig;
import dev.sluice.config.server.TraceConfig;
import dev.sluice.inference.DataPlane;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.control.ControlPlane;
import dev.sluice.inference.control.LogControl;
import dev.sluice.ops.CallMonitor;
import dev.sluice.ops.ConnectionMetrics;
import dev.sluice.ops.EventLoopLag;
import dev.sluice.ops.MachineMetrics;
import dev.sluice.ops.ModelStateMetrics;
import dev.sluice.ops.ProcessMeters;
import dev.sluice.protocol.grps.PredictConcurrencyLimit;
import dev.sluice.protocol.oip.SharedMemoryRegions;
import dev.sluice.serving.ModelExplainer;
import dev.sluice.serving.advice.BatchingAdvice;
import dev.sluice.telemetry.LatencyForms;
import dev.sluice.telemetry.MemoryMetrics;
import dev.sluice.telemetry.ServerClock;
import dev.sluice.telemetry.ServerTiming;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.telemetry.load.LoadReporting;
import dev.sluice.telemetry.trace.Traces;
import dev.sluice.tensor.MemoryBudget;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.transport.connection.RequestMemory;
import dev.sluice.transport.http.HttpRoute;
import dev.sluice.transport.http.HttpRoutes;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.ThreadingModel;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A whole server: models, the pipeline, listeners. Everything is wired here.
 *
 * <p>Threads: started and closed by the main thread, which blocks meanwhile.
 */
public final class SluiceServer implements Server {
  private static final Logger LOG = LoggerFactory.getLogger(SluiceServer.class);

  /** Time to end what is still in flight after the drain, and to close what is idle. */
  private static final Duration CLOSING = Duration.ofSeconds(3);

  /** The part of the memory budget that freed blocks may have besides. */
  private static final int KEPT_PART = 4;

  private final SluiceConfig config;
  private final ServerThreads threads;
  private final @Nullable OtlpExport export;
  private final Telemetry telemetry;
  private final ServerCore models;
  private final CallMonitor monitor;
  private final ConnectionMetrics connections = new ConnectionMetrics();
  private final ProcessMeters process;
  private final Future<?> measuring;
  private final LogControl logs = new LogLevels();
  private final Optional<AccessLogWriter> accessLog;
  private final Optional<InferenceLogWriter> inferenceLog;
  private final MemoryBudget memory;
  private final @Nullable SharedMemoryRegions regions;
  private final Listeners listeners;
  private final PeriodicTasks periodicTasks;
  private final AtomicBoolean closing = new AtomicBoolean();
  private final ProtocolWarmUp warmUp;
  private final CountDownLatch forced = new CountDownLatch(1);

  private SluiceServer(SluiceConfig config) {
    this.config = config;
    this.accessLog = AccessLogWriter.open(config.observability().accessLog());
    this.threads = ServerThreads.start(config);
    this.export = OtlpExport.of(config.observability(), threads.vertx());
    this.telemetry = telemetry(config, export);
    this.process = new ProcessMeters(telemetry);
    threads.vertx().exceptionHandler(new UncaughtFailures(telemetry.liveness()));
    this.models = new ServerCore(config, threads, telemetry);
    this.inferenceLog =
        InferenceLogWriter.open(config.observability().inferenceLog(), threads.vertx());
    var lag = new EventLoopLag(ServerClock.NANO_TIME);
    this.monitor =
        new CallMonitor(
            telemetry, ServerClock.NANO_TIME, InstantSource.system(), lag::latestSeconds);
    this.measuring = measure(lag);
    this.memory = new MemoryBudget(config.limits().memoryBudget());
    TensorMemory.keepAtMost(memory.limit() / KEPT_PART);
    TensorMemory.keepTensorsBelow(memory.limit() / 2);
    this.regions = regions(config.protocols().oip().sharedMemory());
    this.listeners = listeners();
    report();
    reservePaths();
    this.periodicTasks = new PeriodicTasks(threads);
    this.warmUp = new ProtocolWarmUp(threads, config.listeners());
  }

  private Listeners listeners() {
    boolean shares = config.limits().connection().maxConnectionsPerPeer() > 0;
    return new Listeners(
        config,
        threads,
        models,
        telemetry,
        connections,
        this::protocolHandlers,
        new RequestMemory(memory, shares, ServerClock.NANO_TIME),
        accessLog.orElse(null));
  }

  /** Puts on the metrics page and into load reports what the parts of the server count. */
  private void report() {
    accessLog.ifPresent(telemetry::add);
    inferenceLog.ifPresent(telemetry::add);
    telemetry.add(new MemoryMetrics(memory));
    telemetry.add(VersionText::write);
    telemetry.load().memory(memory::utilization);
    telemetry.load().streams(models.data()::openStreams);
  }

  private static Telemetry telemetry(SluiceConfig config, @Nullable OtlpExport export) {
    OipConfig oip = config.protocols().oip();
    var telemetry =
        new Telemetry(
            ServerClock.NANO_TIME,
            InstantSource.system(),
            traces(oip.trace()),
            latencies(oip.latencies()),
            ServerTiming.valueOf(config.observability().tracing().serverTiming().name()),
            LoadReporting.valueOf(config.observability().loadReports().name()),
            export == null ? null : export.spans());
    if (export != null) {
      export.begin(telemetry);
    }
    return telemetry;
  }

  private static @Nullable SharedMemoryRegions regions(SharedMemoryConfig shared) {
    return shared.enabled()
        ? SharedMemoryRegions.in(
            shared.directory(), shared.maxRegions(), shared.idleTimeout(), ServerClock.NANO_TIME)
        : null;
  }

  private static LatencyForms latencies(LatencyMetricsConfig config) {
    return new LatencyForms(
        config.counters(),
        config.histograms(),
        config.summaries() ? config.summaryQuantiles() : List.of());
  }

  private static Traces traces(TraceConfig config) {
    List<String> levels = new ArrayList<>();
    if (config.timestamps()) {
      levels.add(Traces.TIMESTAMPS);
    }
    if (config.tensors()) {
      levels.add(Traces.TENSORS);
    }
    var start = new Traces.Start(levels, config.rate(), config.count(), config.logFrequency());
    return config
        .file()
        .map(file -> Traces.toFile(file, config.maxSize(), start, ServerClock.NANO_TIME))
        .orElseGet(() -> Traces.toLog(start, ServerClock.NANO_TIME));
  }

  /** Puts on the metrics page what is not counted by those who answer requests. */
  private Future<?> measure(EventLoopLag lag) {
    telemetry.liveness().watch(lag::problem);
    Future<String> lags =
        threads
            .vertx()
            .deployVerticle(lag.verticles(), threads.onEachLoop())
            .onFailure(e -> LOG.error("the lag of event loops is not measured", e));
    Future<String> rates =
        threads
            .vertx()
            .deployVerticle(
                monitor, new DeploymentOptions().setThreadingModel(ThreadingModel.WORKER))
            .onFailure(e -> LOG.error("the console shows no rates", e));
    List.of(new ModelStateMetrics(models.control()), connections, lag, new MachineMetrics())
        .forEach(telemetry::add);
    return Future.join(lags, rates);
  }

  private DataPlane recorded(DataPlane data) {
    return inferenceLog.<DataPlane>map(log -> new RecordingDataPlane(data, log)).orElse(data);
  }

  /** Returns the protocol handlers of a listener. */
  private ProtocolHandlers protocolHandlers() {
    DataPlane recorded = recorded(models.data());
    var planes =
        new ProtocolHandlers.Planes(
            recorded, models.control(), logs, new ModelExplainer(recorded, models.data()));
    return new ProtocolHandlers(
        planes,
        config,
        telemetry,
        monitor,
        new PredictConcurrencyLimit(config.protocols().grps().maxConnections()),
        regions,
        models.requestLogs());
  }

  /**
   * Returns every kind of request that a listener answers over HTTP, but for the paths of models.
   */
  List<HttpRoute> routes(ListenerConfig listener) {
    return protocolHandlers().routes(listener).all();
  }

  /** Keeps plugins from paths that no listener would leave to them. */
  private void reservePaths() {
    List<HttpRoutes> mounted = config.listeners().stream().map(protocolHandlers()::routes).toList();
    models.paths().reserve(path -> mounted.stream().allMatch(routes -> routes.has(path)));
  }

  /** Returns every method that a listener answers over gRPC, but for the standard services. */
  Map<String, Operation> methods(ListenerConfig listener) {
    return protocolHandlers().methods(listener);
  }

  /**
   * Starts a server. Returns when its ports are open; models may still be loading then, see {@link
   * #reconciled}.
   *
   * @throws dev.sluice.boot.cli.StartFailure if a port cannot be opened
   */
  public static SluiceServer start(SluiceConfig config) {
    var server = new SluiceServer(config);
    AotCache.check();
    server.models.control().holdReadiness();
    try {
      config.listeners().forEach(server.listeners::open);
      // Only now: loading a large native library holds up everyone else who loads one, and event
      // loops do when they start.
      ServerThreads.await(server.threads.loading().executeBlocking(server::scan, true));
      server.becomeReady();
      server.models.schedule(server.periodicTasks);
      server.listeners.schedule(server.periodicTasks);
      server.returnMemory();
      return server;
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
  }

  /** Lets the models decide about readiness once the protocols are warm. */
  private void becomeReady() {
    Duration time = config.process().startup().warmUp();
    if (time.isZero() || config.listeners().isEmpty()) {
      warmUp.begin().join();
      ready();
      return;
    }
    // Models are what clients wait for: their loading has the cores to itself.
    reconciled()
        .eventually(() -> Future.fromCompletionStage(warmUp.begin()))
        .eventually(() -> Future.fromCompletionStage(warmUp.goOn(time)))
        .onComplete(_ -> ready());
  }

  private void ready() {
    // Until now compilers were what clients waited for.
    CompilerThreads.giveWay();
    models.control().releaseReadiness();
  }

  /**
   * Starts a server and waits until all that it found at first has loaded or failed. It answers
   * then, and says that it is ready once the protocols are warm.
   */
  public static Server startSettled(SluiceConfig config) {
    SluiceServer server = start(config);
    server.awaitModels();
    return server;
  }

  @Override
  public void awaitModels() {
    ServerThreads.await(reconciled());
  }

  private void returnMemory() {
    var unused = HeapTrimmer.ofThisProcess();
    threads
        .vertx()
        .setPeriodic(
            HeapTrimmer.INTERVAL.toMillis(),
            _ -> {
              if (!closing.get()) {
                threads
                    .load(unused::look, true)
                    .onFailure(e -> LOG.error("memory is not given back", e));
              }
            });
  }

  private Object scan() {
    models.scan();
    return models;
  }

  /** Completes once no version is waiting to be loaded or loading. */
  public Future<Void> reconciled() {
    return models.repository().reconciled();
  }

  /** Returns the control plane of the models. */
  public ControlPlane control() {
    return models.control();
  }

  /** Returns the budget of the memory that requests hold. */
  public MemoryBudget memory() {
    return memory;
  }

  /** Returns the data plane, which finds models and runs requests. */
  public DataPlane data() {
    return models.data();
  }

  /** Returns the open port of the first listener. */
  public int port() {
    return listeners.port();
  }

  @Override
  public List<String> addresses() {
    return listeners.addresses();
  }

  @Override
  public List<ModelLine> models() {
    return ModelLine.all(models.control(), models.data());
  }

  @Override
  public List<String> advice() {
    var rows = new BatchingAdvice(models.repository(), ServerClock.NANO_TIME);
    List<String> lines = new ArrayList<>();
    for (ModelLine line : models()) {
      line.selector()
          .flatMap(rows::of)
          .ifPresent(advice -> lines.add(line.model() + "/" + line.number() + ": " + advice));
    }
    return lines;
  }

  /**
   * Graceful shutdown: lets readiness fall, finishes what is in flight, closes listeners, then
   * models. Idempotent. Blocks.
   */
  @Override
  public void close() {
    if (closing.getAndSet(true)) {
      return;
    }
    // Its verticles end before Vert.x does.
    warmUp.stop();
    periodicTasks.stop();
    models.control().drain();
    listeners.drain();
    await(config.process().shutdown().gracePeriod());
    listeners.close();
    accessLog.ifPresent(AccessLogWriter::close);
    inferenceLog.ifPresent(InferenceLogWriter::close);
    models.requestLogs().close();
    telemetry.traces().close();
    if (export != null) {
      export.close(config.process().shutdown().drainTimeout());
    }
    process.close();
    ServerThreads.await(models.repository().close());
    models.control().close();
    if (regions != null) {
      regions.close();
    }
    ServerThreads.await(threads.loaded());
    // What is still being deployed cannot be undeployed.
    ServerThreads.await(measuring.otherwiseEmpty());
    threads.close();
  }

  @Override
  public Duration closingTime() {
    ShutdownConfig shutdown = config.process().shutdown();
    return shutdown.gracePeriod().plus(shutdown.drainTimeout()).plus(CLOSING);
  }

  private void await(Duration grace) {
    try {
      var _ = forced.await(grace.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void stopNow() {
    forced.countDown();
    listeners.stopNow();
  }

  @Override
  public Future<List<String>> reload() {
    return periodicTasks.runNow();
  }
}
