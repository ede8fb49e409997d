package dev.sluice.boot;

import dev.sluice.config.SluiceConfig;
import dev.sluice.scheduling.deadline.CallerContexts;
import dev.sluice.transport.netty.ProtocolDetectionTransport;
import dev.sluice.transport.netty.vertx.EventLoops;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.file.FileSystemOptions;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of a server, besides those of its models.
 *
 * @param vertx with its event loops, and the workers of what takes long
 * @param eventLoops how many there are
 * @param loading the workers that look at folders, and load and close models
 * @param loads what they do, until those who wait for it know
 */
record ServerThreads(Vertx vertx, int eventLoops, WorkerExecutor loading, Set<Future<?>> loads) {
  private static final Logger LOG = LoggerFactory.getLogger(ServerThreads.class);
  private static final Duration CLOSING = Duration.ofSeconds(2);

  static ServerThreads start(SluiceConfig config) {
    int cores = Runtime.getRuntime().availableProcessors();
    int loops = config.process().eventLoops() == 0 ? cores : config.process().eventLoops();
    int wanted = config.repository().loading().threads();
    int loaders = wanted == 0 ? Math.max(2, cores) : wanted;
    Vertx vertx = vertx(config, loops);
    return new ServerThreads(
        vertx,
        loops,
        vertx.createSharedWorkerExecutor("sluice-loading", loaders, 1, TimeUnit.HOURS),
        ConcurrentHashMap.newKeySet());
  }

  /** Without the folder for files of jars, which nothing here reads through Vert.x. */
  private static Vertx vertx(SluiceConfig config, int eventLoops) {
    var files =
        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false);
    return Vertx.builder()
        .with(new VertxOptions().setEventLoopPoolSize(eventLoops).setFileSystemOptions(files))
        .withTransport(
            new ProtocolDetectionTransport(SocketTransports.choose(config.process().transport())))
        .build();
  }

  /** Returns where requests come from. */
  CallerContexts contexts() {
    return new CallerContexts(vertx, EventLoops::of, EventLoops::isOn);
  }

  /**
   * Does something on a loading worker.
   *
   * @param ordered whether it waits for what the same context has begun before
   */
  <T> Future<T> load(Callable<T> task, boolean ordered) {
    Future<T> done = loading.executeBlocking(task, ordered);
    loads.add(done);
    return done.onComplete(_ -> loads.remove(done));
  }

  /** Completes when loading workers have nothing more to tell: event loops may end then. */
  Future<?> loaded() {
    return Future.join(List.copyOf(loads)).otherwiseEmpty();
  }

  /** Deploys a verticle on each event loop. */
  DeploymentOptions onEachLoop() {
    return new DeploymentOptions().setInstances(eventLoops);
  }

  /**
   * Ends all threads, and what clients of the server's own have open. Blocks, but not for long: now
   * and then Vert.x (5.1.6) never closes a client whose connection comes about meanwhile.
   */
  void close() {
    awaitEnd(vertx.close(), CLOSING);
  }

  /** Waits until threads have ended; those that have not by then are left to the process's end. */
  static void awaitEnd(Future<?> ended, Duration most) {
    try {
      ended.toCompletionStage().toCompletableFuture().get(most.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      LOG.warn("the server's threads have not ended after {} ms", most.toMillis());
    } catch (ExecutionException e) {
      LOG.warn("the server's threads have not ended", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Blocks until a future is complete; not on an event loop. */
  static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().join();
  }
}
