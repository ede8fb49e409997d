package dev.sluice.boot;

import dev.sluice.boot.log.LogLevels;
import dev.sluice.boot.warmup.WarmUpCalls.Connector;
import dev.sluice.config.ModelConfigReader;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.model.ListedModel;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.QueueConfig;
import dev.sluice.config.security.SecurityConfig;
import dev.sluice.config.security.TrustConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.LimitsConfig;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.RateLimitConfig;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.ops.CallMonitor;
import dev.sluice.protocol.grps.PredictConcurrencyLimit;
import dev.sluice.protocol.tfs.grpc.PredictSettings;
import dev.sluice.protocol.tfs.grpc.WarmUpRequests;
import dev.sluice.protocol.tfs.requestlog.RequestLogs;
import dev.sluice.repository.ModelRepository;
import dev.sluice.repository.RepositoryListener;
import dev.sluice.runtime.RuntimeProvider;
import dev.sluice.scheduling.caching.ResponseCache;
import dev.sluice.scheduling.ratelimit.RateLimiter;
import dev.sluice.security.ListenerAccess;
import dev.sluice.serving.InferencePipeline;
import dev.sluice.serving.ModelExplainer;
import dev.sluice.serving.control.LoadPolicy;
import dev.sluice.serving.control.ModelControl;
import dev.sluice.serving.loading.ServableLoader;
import dev.sluice.serving.plugin.PluginPaths;
import dev.sluice.telemetry.ServerClock;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.tensor.MemoryBudget;
import dev.sluice.transport.ListenerContext;
import dev.sluice.transport.ListenerVerticle;
import dev.sluice.transport.connection.ConnectionCount;
import dev.sluice.transport.connection.ConnectionDrain;
import dev.sluice.transport.connection.ConnectionMemory;
import dev.sluice.transport.connection.RequestMemory;
import dev.sluice.transport.grpc.GrpcDispatcher;
import dev.sluice.transport.http.HttpDispatcher;
import io.vertx.core.DeploymentOptions;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A server beside the server, which the server itself asks: a built-in model, a repository, a
 * pipeline and listeners of its own, whose requests are in none of the server's metrics,
 * statistics, or lists of models. On the threads of the server; its methods block.
 */
final class WarmUpServer implements AutoCloseable {
  /**
   * The file of the model for each runtime, by its name: {@code y} is {@code x} with the other
   * sign, since numbers of both are to be written.
   */
  private static final Map<String, String> FILES =
      Map.of("echo", "echo.onnx", "onnx", "echo.onnx", "tensorflow", "saved_model.pbtxt");

  private static final String SOCKET = "s";
  private static final Duration DRAIN = Duration.ofSeconds(1);

  /** What is sent to a listener. */
  interface Requests {
    void send(Connector connector) throws IOException;
  }

  private interface Sending {
    void send() throws IOException;
  }

  private static final ModelConfig BY_WORKER =
      ModelConfig.DEFAULT.withQueue(QueueConfig.DEFAULT.withoutInlineRuns());

  private final ServerThreads threads;
  private final List<RuntimeProvider> runtimes;
  private final Path folder;
  private final Telemetry telemetry = Telemetry.unseen();
  private final PluginPaths paths = new PluginPaths();
  private final LimitsConfig limits = LimitsConfig.DEFAULT;
  private final PredictSettings predict = new PredictSettings(limits.maxBodySize(), false);
  private final Map<String, ListedModel> models = new LinkedHashMap<>();
  private final DesiredModels wanted;
  private final ModelRepository repository;
  private final InferencePipeline data;

  private WarmUpServer(ServerThreads threads, List<RuntimeProvider> runtimes, Path folder) {
    this.threads = threads;
    this.runtimes = runtimes;
    this.folder = folder;
    runtimes.forEach(this::list);
    this.wanted = DesiredModels.only(models);
    this.repository =
        new ModelRepository(
            RepositoryConfig.of(wanted, Duration.ZERO),
            _ -> ModelConfig.DEFAULT,
            loader(),
            new LoadingWorkers(threads),
            InstantSource.system(),
            new SilentListener());
    this.data = new InferencePipeline(repository, paths, threads.contexts(), ServerClock.NANO_TIME);
  }

  /** Lists a runtime's model, twice where event loops run it: what workers do has code too. */
  private void list(RuntimeProvider runtime) {
    ListedModel model = ListedModel.in(folder.resolve(runtime.name()));
    models.put(runtime.name(), model.withSettings(ModelConfig.DEFAULT));
    if (runtime.name().equals("onnx")) {
      models.put(runtime.name() + "-by-worker", model.withSettings(BY_WORKER));
    }
  }

  /**
   * Loads a model for each runtime, from a folder that only the server's user enters.
   *
   * @param runtimes what opens them
   */
  static WarmUpServer start(ServerThreads threads, List<RuntimeProvider> runtimes)
      throws IOException {
    Path folder = Files.createTempDirectory("sluice");
    for (RuntimeProvider runtime : runtimes) {
      Path version = Files.createDirectories(folder.resolve(runtime.name()).resolve("1"));
      String file = FILES.get(runtime.name());
      try (InputStream model = WarmUpServer.class.getResourceAsStream(file)) {
        Files.copy(Objects.requireNonNull(model, file), version.resolve(file));
      }
    }
    var server = new WarmUpServer(threads, runtimes, folder);
    server.repository.scan();
    ServerThreads.await(server.repository.reconciled());
    return server;
  }

  /** Returns the names of the models. */
  List<String> models() {
    return List.copyOf(models.keySet());
  }

  /** Has requests sent to a listener on a Unix domain socket in the folder. */
  void onSocket(ListenerConfig listener, Requests requests) throws IOException {
    Path socket = folder.resolve(SOCKET);
    var verticle = verticle(listener.withTls(Optional.empty()).onSocket(socket));
    var address = UnixDomainSocketAddress.of(socket);
    send(verticle, () -> requests.send(() -> SocketChannel.open(address)));
  }

  /**
   * The same on a socket of the kind that clients use, since each kind has its code. Everyone on
   * this machine can reach one of TCP: it controls nothing.
   */
  void onNetwork(ListenerConfig listener, Requests requests) throws IOException {
    if (listener.socket().isPresent()) {
      onSocket(listener, requests);
      return;
    }
    var verticle = verticle(listener.withTls(Optional.empty()).onLoopback());
    send(verticle, () -> requests.send(() -> SocketChannel.open(loopback(verticle))));
  }

  private static InetSocketAddress loopback(ListenerVerticle verticle) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), verticle.port());
  }

  private void send(ListenerVerticle verticle, Sending sending) throws IOException {
    String deployment =
        ServerThreads.await(threads.vertx().deployVerticle(verticle, new DeploymentOptions()));
    try {
      sending.send();
    } finally {
      ServerThreads.await(threads.vertx().undeploy(deployment));
    }
  }

  /** Ends it, and removes its folder. */
  @Override
  public void close() throws IOException {
    ServerThreads.await(repository.close());
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private ServableLoader loader() {
    return new ServableLoader(
        runtimes,
        telemetry,
        threads.contexts(),
        ServerClock.NANO_TIME,
        new ResponseCache(0, ServerClock.NANO_TIME),
        this::pipeline,
        paths,
        new WarmUpRequests(predict),
        policy(),
        limits.maxOutputSize(),
        new RateLimiter(RateLimitConfig.DEFAULT));
  }

  private InferencePipeline pipeline() {
    return data;
  }

  private LoadPolicy policy() {
    return new LoadPolicy(TrustConfig.DEFAULT, wanted);
  }

  private ListenerVerticle verticle(ListenerConfig listener) {
    var memory =
        new RequestMemory(new MemoryBudget(limits.memoryBudget()), false, ServerClock.NANO_TIME);
    var context =
        new ListenerContext(
            threads.vertx(),
            limits,
            new ListenerAccess(listener, SecurityConfig.DEFAULT, List.of()),
            telemetry,
            ServerClock.NANO_TIME,
            memory);
    ProtocolHandlers handlers = handlers();
    var front =
        new PortUnification(
            new HttpDispatcher(handlers.http(listener), context, listener.cors()),
            new GrpcDispatcher(handlers.grpc(listener), context, () -> true, listener.cors()));
    return new ListenerVerticle(
        listener,
        limits,
        new ConnectionCount(
            listener.address(),
            limits.maxConnections(),
            0,
            new ConnectionMemory(limits.connectionMemory()),
            ServerClock.NANO_TIME),
        memory,
        new ConnectionDrain(DRAIN),
        front,
        handlers.brpc(listener, context));
  }

  private ProtocolHandlers handlers() {
    SluiceConfig config = SluiceConfig.DEFAULT;
    var control =
        new ModelControl(
            repository,
            new ModelConfigReader(config, _ -> {}),
            config.repository().control(),
            policy(),
            true,
            false,
            telemetry.liveness());
    return new ProtocolHandlers(
        new ProtocolHandlers.Planes(data, control, new LogLevels(), new ModelExplainer(data, data)),
        config,
        telemetry,
        new CallMonitor(telemetry, ServerClock.NANO_TIME, InstantSource.system(), () -> 0),
        new PredictConcurrencyLimit(config.protocols().grps().maxConnections()),
        null,
        new RequestLogs(List.of(), telemetry.loads(), InstantSource.system(), Optional.empty()));
  }

  /** Logs nothing of the built-in model. */
  private static final class SilentListener implements RepositoryListener {
    @Override
    public void available(ModelId id) {}

    @Override
    public void failed(ModelId id, VersionStatus.Failure why) {}

    @Override
    public void memberLost(ModelId id, VersionStatus.Failure why) {}

    @Override
    public void unloaded(ModelId id) {}

    @Override
    public void warning(String text) {}
  }
}
