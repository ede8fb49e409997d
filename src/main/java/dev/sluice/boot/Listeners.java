package dev.sluice.boot;

import dev.sluice.config.SluiceConfig;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.ops.ConnectionMetrics;
import dev.sluice.security.Authenticators;
import dev.sluice.security.ListenerAccess;
import dev.sluice.telemetry.ServerClock;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.telemetry.access.AccessLog;
import dev.sluice.transport.BrowserGuard;
import dev.sluice.transport.ListenerContext;
import dev.sluice.transport.ListenerVerticle;
import dev.sluice.transport.connection.ConnectionCount;
import dev.sluice.transport.connection.ConnectionDrain;
import dev.sluice.transport.connection.ConnectionMemory;
import dev.sluice.transport.connection.RequestMemory;
import dev.sluice.transport.grpc.GrpcDispatcher;
import dev.sluice.transport.http.HttpDispatcher;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The open listeners of a server. Used by the thread that starts and closes it, which blocks.
 *
 * <p>Graceful shutdown: {@link #drain} stops accepting and lets requests in flight complete, {@link
 * #close} ends what is left when the grace period is over.
 */
final class Listeners {
  /** Time before the end of the drain at which requests are failed. */
  private static final long LAST_ANSWERS_MILLIS = 1_000;

  /** Time that ended streams may take to send their status, beyond the time to drain. */
  private static final Duration LAST_WORDS = Duration.ofSeconds(1);

  /** The time to drain that is left when a second signal hurries. */
  private static final Duration FORCED = Duration.ofSeconds(1);

  private final SluiceConfig config;
  private final ServerThreads threads;
  private final ServerCore models;
  private final Telemetry telemetry;
  private final ConnectionMetrics connections;
  private final Supplier<ProtocolHandlers> protocolHandlers;
  private final RequestMemory memory;
  private final @Nullable AccessLog accessLog;
  private final ConnectionMemory connectionMemory;
  private @Nullable Authenticators authenticators;
  private final List<OpenListener> open = new ArrayList<>();
  private final List<ConnectionDrain> drains = new ArrayList<>();

  /**
   * @param connections counts those of all listeners
   * @param protocolHandlers gives those of one listener
   * @param memory what all requests of all listeners may hold
   */
  Listeners(
      SluiceConfig config,
      ServerThreads threads,
      ServerCore models,
      Telemetry telemetry,
      ConnectionMetrics connections,
      Supplier<ProtocolHandlers> protocolHandlers,
      RequestMemory memory,
      @Nullable AccessLog accessLog) {
    this.accessLog = accessLog;
    this.config = config;
    this.threads = threads;
    this.models = models;
    this.telemetry = telemetry;
    this.connections = connections;
    this.protocolHandlers = protocolHandlers;
    this.memory = memory;
    this.connectionMemory = new ConnectionMemory(config.limits().connectionMemory());
    connections.add(connectionMemory);
  }

  /**
   * Opens one more.
   *
   * @throws dev.sluice.boot.cli.StartFailure if it cannot be opened
   * @throws dev.sluice.config.binding.ConfigException if keys or certificates cannot be read
   */
  void open(ListenerConfig listener) {
    var context =
        new ListenerContext(
            threads.vertx(),
            config.limits(),
            new ListenerAccess(listener, config.security(), authenticators().of(listener)),
            telemetry,
            ServerClock.NANO_TIME,
            memory,
            BrowserGuard.of(listener, OpenListener.isLocal(listener)),
            accessLog);
    var count =
        new ConnectionCount(
            listener.address(),
            config.limits().maxConnections(),
            config.limits().connection().maxConnectionsPerPeer(),
            connectionMemory,
            ServerClock.NANO_TIME);
    connections.add(count);
    var drain = new ConnectionDrain(config.process().shutdown().drainTimeout().plus(LAST_WORDS));
    drains.add(drain);
    ProtocolHandlers handlers = protocolHandlers.get();
    open.add(
        OpenListener.open(
            threads.vertx(),
            listener,
            threads.onEachLoop(),
            bound -> verticle(bound, context, handlers, count, drain)));
    open.getLast().certificates().ifPresent(watch -> connections.add(watch.expiry()));
  }

  /** Returns one for all listeners, from the first that opens on. */
  private Authenticators authenticators() {
    if (authenticators == null) {
      authenticators = Authenticators.start(config.security(), threads.vertx());
    }
    return authenticators;
  }

  private ListenerVerticle verticle(
      ListenerConfig listener,
      ListenerContext context,
      ProtocolHandlers handlers,
      ConnectionCount count,
      ConnectionDrain drain) {
    var dispatcher =
        new PortUnification(
            new HttpDispatcher(handlers.http(listener), context, listener.cors()),
            new GrpcDispatcher(
                handlers.grpc(listener), context, handlers.readiness(listener), listener.cors()));
    return new ListenerVerticle(
        listener,
        config.limits(),
        count,
        context.memory(),
        drain,
        dispatcher,
        handlers.brpc(listener, context));
  }

  /** Begins to look whether certificates have changed. */
  void schedule(PeriodicTasks periodicTasks) {
    open.forEach(listener -> listener.schedule(periodicTasks));
  }

  /**
   * Returns the addresses at which clients reach the listeners, in the order in which they were
   * opened.
   */
  List<String> addresses() {
    return open.stream().map(OpenListener::address).toList();
  }

  /** Returns the open port of the first one. */
  int port() {
    return open.getFirst().port();
  }

  /** Lets clients know that their connections end, and goes on accepting. */
  void drain() {
    drains.forEach(ConnectionDrain::begin);
  }

  /**
   * Lets requests under way finish, and closes all at once. What still goes on when the time to
   * drain is over is answered with a failure.
   */
  void close() {
    long drain = Math.max(1, config.process().shutdown().drainTimeout().toMillis());
    // A little earlier than connections end, so that the answers are written before.
    long answered = Math.max(1, drain - Math.min(drain / 10, LAST_ANSWERS_MILLIS));
    long timer = threads.vertx().setTimer(answered, _ -> models.data().giveUp());
    open.forEach(OpenListener::removeSocket);
    ServerThreads.await(Future.join(open.stream().map(this::undeploy).toList()));
    threads.vertx().cancelTimer(timer);
    if (authenticators != null) {
      authenticators.close();
    }
  }

  /** Ends what is still under way at once, whatever time to drain is left. */
  void stopNow() {
    threads.vertx().setTimer(FORCED.toMillis(), _ -> models.data().giveUp());
    threads
        .vertx()
        .setTimer(FORCED.plus(LAST_WORDS).toMillis(), _ -> drains.forEach(ConnectionDrain::end));
  }

  private Future<Void> undeploy(OpenListener listener) {
    return threads.vertx().undeploy(listener.deployment());
  }
}
