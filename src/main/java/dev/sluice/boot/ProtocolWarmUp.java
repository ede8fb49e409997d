package dev.sluice.boot;

import dev.sluice.boot.log.LogLevels;
import dev.sluice.config.ModelConfigReader;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.model.ListedModel;
import dev.sluice.config.model.ModelConfig;
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
import dev.sluice.protocol.oip.SharedMemoryRegions;
import dev.sluice.protocol.tfs.grpc.PredictSettings;
import dev.sluice.protocol.tfs.grpc.WarmUpRequests;
import dev.sluice.protocol.tfs.requestlog.RequestLogs;
import dev.sluice.repository.ModelRepository;
import dev.sluice.repository.RepositoryListener;
import dev.sluice.scheduling.caching.ResponseCache;
import dev.sluice.scheduling.ratelimit.RateLimiter;
import dev.sluice.security.ListenerAccess;
import dev.sluice.serving.InferencePipeline;
import dev.sluice.serving.ModelExplainer;
import dev.sluice.serving.control.LoadPolicy;
import dev.sluice.serving.control.ModelControl;
import dev.sluice.serving.loading.ServableLoader;
import dev.sluice.serving.plugin.PluginPaths;
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
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers one request of each protocol before clients can send theirs, so that the first of them is
 * not the one that waits while the classes of decoders, queues and encoders are loaded.
 *
 * <p>The requests go to a built-in model through listeners, a repository and a pipeline of its own:
 * nothing of it is in the server's metrics, statistics, or lists of models. Its listeners are
 * sockets in a folder that only the server's user enters. It goes on while listeners open and
 * models are looked for, and the server is not ready before it ends. A server that cannot be warmed
 * up starts all the same.
 */
final class ProtocolWarmUp {
  private static final Logger LOG = LoggerFactory.getLogger(ProtocolWarmUp.class);

  /** Far longer than it takes on a busy machine; a start does not wait longer for it. */
  private static final Duration MOST = Duration.ofSeconds(10);

  private static final Duration DRAIN = Duration.ofSeconds(1);

  private final ServerThreads threads;
  private final Telemetry telemetry = Telemetry.unseen();
  private final PluginPaths paths = new PluginPaths();
  private final LimitsConfig limits = LimitsConfig.DEFAULT;
  private final PredictSettings predict = new PredictSettings(limits.maxBodySize(), false);
  private final DesiredModels wanted;
  private final ModelRepository repository;
  private final InferencePipeline data;

  private ProtocolWarmUp(ServerThreads threads, Path folder) {
    this.threads = threads;
    this.wanted =
        DesiredModels.only(
            Map.of(
                WarmUpCalls.MODEL,
                ListedModel.in(folder.resolve(WarmUpCalls.MODEL))
                    .withSettings(ModelConfig.DEFAULT)));
    this.repository =
        new ModelRepository(
            RepositoryConfig.of(wanted, Duration.ZERO),
            _ -> ModelConfig.DEFAULT,
            loader(),
            new LoadingWorkers(threads),
            InstantSource.system(),
            new SilentListener());
    this.data = new InferencePipeline(repository, paths, System::nanoTime);
  }

  /**
   * Begins on a thread of its own.
   *
   * @param listeners whose protocols are warmed up
   * @return completes when it is done, as far as it can be done; never fails
   */
  static CompletableFuture<?> begin(ServerThreads threads, List<ListenerConfig> listeners) {
    var done = new CompletableFuture<Void>();
    Thread.ofPlatform()
        .daemon()
        .name("protocol-warm-up")
        .start(() -> {
          try {
            run(threads, listeners);
          } catch (IOException | RuntimeException e) {
            LOG.info("protocols are not warmed up: {}", String.valueOf(e.getMessage()));
          } finally {
            done.complete(null);
          }
        });
    return done;
  }

  /** Waits until it is done, but not for ever. */
  static void await(CompletableFuture<?> begun) {
    try {
      begun.get(MOST.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException e) {
      LOG.info("the start goes on before protocols are warmed up");
    } catch (ExecutionException e) {
      throw new CompletionException(e.getCause());
    }
  }

  private static void run(ServerThreads threads, List<ListenerConfig> listeners)
      throws IOException {
    Path folder = Files.createTempDirectory("sluice");
    Path version = folder.resolve(WarmUpCalls.MODEL).resolve("1");
    Path file = version.resolve("echo.onnx");
    try {
      Files.createDirectories(version);
      Files.createFile(file); // only so that the folder counts as one of a model; nothing reads it
      new ProtocolWarmUp(threads, folder).run(folder.resolve("s"), distinct(listeners));
    } finally {
      Files.deleteIfExists(file);
      Files.deleteIfExists(version);
      Files.deleteIfExists(version.getParent());
      Files.deleteIfExists(folder.resolve("s"));
      Files.deleteIfExists(folder);
    }
  }

  /** Returns one listener of each kind, as far as it matters here. */
  private static List<ListenerConfig> distinct(List<ListenerConfig> listeners) {
    Map<Object, ListenerConfig> kinds = new LinkedHashMap<>();
    listeners.forEach(
        listener -> kinds.putIfAbsent(List.of(listener.protocols(), listener.v1()), listener));
    return List.copyOf(kinds.values());
  }

  private void run(Path socket, List<ListenerConfig> listeners) throws IOException {
    repository.scan();
    ServerThreads.await(repository.reconciled());
    try {
      for (ListenerConfig listener : listeners) {
        run(listener.withTls(Optional.empty()).onSocket(socket));
      }
    } finally {
      ServerThreads.await(repository.close());
    }
  }

  private void run(ListenerConfig listener) throws IOException {
    UnixDomainSocketAddress address = UnixDomainSocketAddress.of(listener.socket().orElseThrow());
    String deployment =
        ServerThreads.await(
            threads.vertx().deployVerticle(() -> verticle(listener), new DeploymentOptions()));
    try {
      WarmUpCalls.send(listener, () -> SocketChannel.open(address))
          .forEach(failure -> LOG.info("a protocol is not warmed up: {}", failure));
    } finally {
      ServerThreads.await(threads.vertx().undeploy(deployment));
    }
  }

  private ServableLoader loader() {
    return new ServableLoader(
        List.of(new EchoRuntime()),
        telemetry,
        threads.vertx(),
        System::nanoTime,
        new ResponseCache(0, System::nanoTime),
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
        new RequestMemory(new MemoryBudget(limits.memoryBudget()), false, System::nanoTime);
    var context =
        new ListenerContext(
            threads.vertx(),
            limits,
            new ListenerAccess(listener, SecurityConfig.DEFAULT, List.of()),
            telemetry,
            System::nanoTime,
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
            System::nanoTime),
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
        new ProtocolHandlers.Planes(data, control, new LogLevels(), new ModelExplainer(data)),
        config,
        telemetry,
        new CallMonitor(telemetry, System::nanoTime),
        new PredictConcurrencyLimit(config.grps().maxConnections()),
        SharedMemoryRegions.OFF,
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
