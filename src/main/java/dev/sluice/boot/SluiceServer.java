package dev.sluice.boot;

import dev.sluice.config.ConfigException;
import dev.sluice.config.ListenerConfig;
import dev.sluice.config.ModelConfigReader;
import dev.sluice.config.RepositoryConfig;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.TraceConfig;
import dev.sluice.inference.Caller;
import dev.sluice.inference.ControlPlane;
import dev.sluice.inference.DataPlane;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.LogControl;
import dev.sluice.ops.Connections;
import dev.sluice.ops.EventLoopLag;
import dev.sluice.ops.ModelStates;
import dev.sluice.ops.Monitor;
import dev.sluice.ops.ProcessMetrics;
import dev.sluice.protocol.grps.Room;
import dev.sluice.protocol.tfs.grpc.PredictSettings;
import dev.sluice.protocol.tfs.grpc.WarmUpRequests;
import dev.sluice.repository.Loader;
import dev.sluice.repository.ModelRepository;
import dev.sluice.repository.ModelSettings;
import dev.sluice.runtime.RuntimeProvider;
import dev.sluice.runtime.onnx.OnnxRuntimeProvider;
import dev.sluice.runtime.tensorflow.TensorflowRuntimeProvider;
import dev.sluice.scheduling.caching.ResponseCache;
import dev.sluice.serving.HandlerPaths;
import dev.sluice.serving.InferencePipeline;
import dev.sluice.serving.ModelControl;
import dev.sluice.serving.ModelExplainer;
import dev.sluice.serving.RowAdvice;
import dev.sluice.serving.ServableLoader;
import dev.sluice.serving.VersionBatching;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.telemetry.Traces;
import dev.sluice.transport.ConnectionCount;
import dev.sluice.transport.ListenerContext;
import dev.sluice.transport.ListenerVerticle;
import dev.sluice.transport.SniffingTransport;
import dev.sluice.transport.grpc.GrpcFront;
import dev.sluice.transport.http.HttpFront;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.file.FileSystemOptions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A whole server: models, the pipeline, listeners. Everything is wired here.
 *
 * <p>Threads: started and closed by the main thread, which blocks meanwhile.
 */
public final class SluiceServer implements Server {
  private static final Logger LOG = LoggerFactory.getLogger(SluiceServer.class);

  /** How often {@link #settled} looks. */
  private static final long SETTLING_LOOK_MILLIS = 20;

  /** How long streams that are ended may take to say so, beyond the time to drain. */
  private static final Duration LAST_WORDS = Duration.ofSeconds(1);

  private final SluiceConfig config;
  private final Vertx vertx;
  private final WorkerExecutor loading;
  private final ModelRepository repository;
  private final Optional<TensorflowModels> modelFile;
  private final ModelControl control;
  private final Telemetry telemetry;
  private final Monitor monitor;
  private final Connections connections = new Connections();
  private final Future<?> measuring;
  private final InferencePipeline data;
  private final LogControl logs = new LogSwitches();
  private final List<OpenListener> listeners = new ArrayList<>();
  private volatile boolean stopping;

  private SluiceServer(SluiceConfig config) {
    this.config = config;
    this.modelFile = config.repository().tensorflow().file().map(TensorflowModels::new);
    this.vertx = vertx(config);
    this.loading =
        vertx.createSharedWorkerExecutor(
            "sluice-loading", loadingThreads(config), 1, TimeUnit.HOURS);
    var news = new LoggedNews(LoggerFactory.getLogger("dev.sluice.models"));
    this.telemetry =
        new Telemetry(System::nanoTime, InstantSource.system(), traces(config.oip().trace()));
    var paths = new HandlerPaths();
    var reader = new ModelConfigReader(config, news::warning);
    this.repository =
        new ModelRepository(
            firstModels(),
            settings(reader),
            loader(paths, news::warning),
            new LoadingWorkers(vertx, loading),
            InstantSource.system(),
            news);
    this.control = control(reader);
    this.data = new InferencePipeline(repository, paths);
    this.monitor = new Monitor(telemetry, System::nanoTime);
    this.measuring = measure();
  }

  /** What to serve at first. */
  private RepositoryConfig firstModels() {
    RepositoryConfig models = config.repository();
    return modelFile.map(TensorflowModels::first).map(models::withWanted).orElse(models);
  }

  private ModelControl control(ModelConfigReader reader) {
    return new ModelControl(
        repository,
        reader,
        config.repository().control(),
        config.grps().onlineAtStart(),
        config.repository().tensorflow().labelsForUnavailable());
  }

  private static Traces traces(TraceConfig start) {
    return Traces.starting(
        start.timestamps() ? "TIMESTAMPS" : "OFF",
        start.rate(),
        start.count(),
        start.logFrequency());
  }

  private Loader loader(HandlerPaths paths, Consumer<String> warnings) {
    var loader =
        new ServableLoader(
            runtimes(),
            telemetry,
            vertx,
            System::nanoTime,
            new ResponseCache(config.limits().cacheSize(), System::nanoTime),
            this::data,
            paths,
            new WarmUpRequests(predict(config)));
    return config.repository().tensorflow().batchingInVersions()
        ? new VersionBatching(loader, warnings)
        : loader;
  }

  /** Puts on the metrics page what is not counted by those who answer requests. */
  private Future<?> measure() {
    var lag = new EventLoopLag(System::nanoTime);
    Future<String> lags =
        vertx
            .deployVerticle(lag.verticles(), loopOptions())
            .onFailure(e -> LOG.error("the lag of event loops is not measured", e));
    Future<String> rates =
        vertx
            .deployVerticle(
                monitor, new DeploymentOptions().setThreadingModel(ThreadingModel.WORKER))
            .onFailure(e -> LOG.error("the console shows no rates", e));
    List.of(new ModelStates(control), connections, lag, new ProcessMetrics())
        .forEach(telemetry::add);
    return Future.join(lags, rates);
  }

  /** Without the folder for files of jars, which nothing here reads through Vert.x. */
  private static Vertx vertx(SluiceConfig config) {
    var files =
        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false);
    return Vertx.builder()
        .with(
            new VertxOptions().setEventLoopPoolSize(eventLoops(config)).setFileSystemOptions(files))
        .withTransport(new SniffingTransport(SocketTransports.choose(config.transport())))
        .build();
  }

  private static int eventLoops(SluiceConfig config) {
    int wanted = config.eventLoops();
    return wanted == 0 ? Runtime.getRuntime().availableProcessors() : wanted;
  }

  private static int loadingThreads(SluiceConfig config) {
    int wanted = config.repository().loading().threads();
    int cores = Runtime.getRuntime().availableProcessors();
    return wanted == 0 ? Math.max(2, cores) : wanted;
  }

  private static List<RuntimeProvider> runtimes() {
    return List.of(new OnnxRuntimeProvider(), new TensorflowRuntimeProvider());
  }

  private static PredictSettings predict(SluiceConfig config) {
    return new PredictSettings(config.limits().maxBodySize(), config.tfs().tensorContent());
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

  /**
   * Starts a server. Returns when its ports are open; models may still be loading then, see {@link
   * #settled}.
   *
   * @throws StartFailure if a port cannot be opened
   */
  public static SluiceServer start(SluiceConfig config) {
    var server = new SluiceServer(config);
    try {
      for (ListenerConfig listener : config.listeners()) {
        server.listeners.add(server.open(listener));
      }
      // Only now: loading a large native library holds up everyone else who loads one, and event
      // loops do when they start.
      await(server.loading.executeBlocking(server::scan, true));
      server.keepLooking();
      return server;
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
  }

  /** Starts a server and waits until all that it found at first has loaded or failed. */
  static Server startSettled(SluiceConfig config) {
    SluiceServer server = start(config);
    await(server.settled());
    return server;
  }

  private Object scan() {
    repository.scan();
    return repository;
  }

  private void keepLooking() {
    RepositoryConfig models = config.repository();
    keepDoing("the model folders", models.lookInterval(), repository::scan);
    modelFile.ifPresent(file ->
        keepDoing(
            "the model config file", models.tensorflow().pollInterval(), () -> file.look(control)));
  }

  /** Does something time after time on a worker, unless the interval is zero. */
  private void keepDoing(String what, Duration interval, Runnable task) {
    if (!interval.isZero()) {
      vertx.setTimer(Math.max(1, interval.toMillis()), _ -> doAgain(what, interval, task));
    }
  }

  private void doAgain(String what, Duration interval, Runnable task) {
    if (!stopping) {
      loading
          .executeBlocking(
              () -> {
                task.run();
                return task;
              },
              true)
          .onFailure(e -> LOG.error(what + " could not be looked at", e))
          .onComplete(_ -> keepDoing(what, interval, task));
    }
  }

  private OpenListener open(ListenerConfig listener) {
    var context =
        new ListenerContext(
            vertx,
            config.limits(),
            new Caller(listener.address(), listener.control() || OpenListener.isLocal(listener)),
            telemetry,
            System::nanoTime);
    var faces =
        new Faces(
            data,
            control,
            logs,
            telemetry,
            new ModelExplainer(data),
            monitor,
            config.grps(),
            config.kserve(),
            config.limits(),
            new Room(config.grps().maxConnections()),
            config.oip(),
            predict(config));
    var open =
        new ConnectionCount(listener.address(), config.limits().maxConnections(), System::nanoTime);
    connections.add(open);
    return OpenListener.open(
        vertx, listener, loopOptions(), bound -> verticle(bound, context, faces, open));
  }

  private ListenerVerticle verticle(
      ListenerConfig listener, ListenerContext context, Faces faces, ConnectionCount open) {
    var front =
        new Front(
            new HttpFront(faces.http(listener), context, listener.cors()),
            new GrpcFront(faces.grpc(listener), context, control::ready, listener.cors()));
    return new ListenerVerticle(
        listener,
        config.limits(),
        open,
        config.shutdown().drainTimeout().plus(LAST_WORDS),
        front,
        faces.brpc(listener, context));
  }

  private DeploymentOptions loopOptions() {
    return new DeploymentOptions().setInstances(eventLoops(config));
  }

  private static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().join();
  }

  /** Completes once no version is waiting to be loaded or loading. */
  public Future<Void> settled() {
    Promise<Void> settled = Promise.promise();
    lookWhetherSettled(settled);
    return settled.future();
  }

  private void lookWhetherSettled(Promise<Void> settled) {
    if (repository.settled()) {
      settled.complete();
    } else {
      vertx.setTimer(SETTLING_LOOK_MILLIS, _ -> lookWhetherSettled(settled));
    }
  }

  /** How the models are. */
  public ControlPlane control() {
    return control;
  }

  /** Finds and asks models. */
  public DataPlane data() {
    return data;
  }

  /** The open port of the first listener. */
  public int port() {
    return listeners.getFirst().port();
  }

  @Override
  public List<String> addresses() {
    return listeners.stream().map(OpenListener::address).toList();
  }

  @Override
  public List<ModelLine> models() {
    return ModelLine.all(control, data);
  }

  @Override
  public List<String> advice() {
    var rows = new RowAdvice(repository, System::nanoTime);
    List<String> lines = new ArrayList<>();
    for (ModelLine line : models()) {
      line.selector()
          .flatMap(rows::of)
          .ifPresent(advice -> lines.add(line.model() + "/" + line.number() + ": " + advice));
    }
    return lines;
  }

  /** Lets readiness fall, finishes what is under way, closes listeners, then models. Blocks. */
  @Override
  public void close() {
    stopping = true;
    control.drain();
    pause(config.shutdown().gracePeriod());
    closeListeners();
    await(repository.close());
    control.close();
    // What is still being deployed cannot be undeployed.
    await(measuring.otherwiseEmpty());
    await(vertx.close());
  }

  /** All at once; streams that still go on when the time to drain is over are told to end. */
  private void closeListeners() {
    long drain = Math.max(1, config.shutdown().drainTimeout().toMillis());
    long timer = vertx.setTimer(drain, _ -> data.endStreams());
    await(Future.join(listeners.stream().map(l -> vertx.undeploy(l.deployment())).toList()));
    vertx.cancelTimer(timer);
    listeners.forEach(listener -> listener.config().socket().ifPresent(UnixSocket::remove));
  }

  private void pause(Duration length) {
    if (!length.isZero()) {
      Promise<Void> over = Promise.promise();
      vertx.setTimer(length.toMillis(), _ -> over.complete());
      await(over.future());
    }
  }
}
