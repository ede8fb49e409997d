package dev.sluice.boot;

import dev.sluice.boot.cli.StartFailure;
import dev.sluice.config.security.TlsConfig;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.transport.Certificates;
import dev.sluice.transport.ListenerVerticle;
import dev.sluice.transport.Tls;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A listener whose port or socket is open.
 *
 * @param config what was asked for
 * @param port the port that is really open
 * @param deployment the verticles that hold it
 * @param certificates what it encrypts with; empty: it does not
 * @param socketKey identity of the file of its socket; null if it has none
 */
record OpenListener(
    ListenerConfig config,
    int port,
    String deployment,
    Optional<CertificateReloader> certificates,
    @Nullable Object socketKey) {
  /** Counts the ports that the system chooses: each is chosen once for all event loops. */
  private static final AtomicInteger CHOSEN = new AtomicInteger();

  /**
   * Opens a listener, and waits until it is.
   *
   * @param loops one verticle for each event loop
   * @param verticle makes one, by the settings that it is to listen with
   * @throws StartFailure if it cannot be opened
   */
  static OpenListener open(
      Vertx vertx,
      ListenerConfig config,
      DeploymentOptions loops,
      Function<ListenerConfig, ListenerVerticle> verticle) {
    ListenerConfig bound = config.withTls(config.tls().map(tls -> Tls.load(tls, vertx)));
    if (config.socket().isPresent()) {
      return openSocket(vertx, config, bound, loops, verticle);
    }
    return bind(
        vertx,
        config,
        config.port() == 0 ? bound.withPort(-CHOSEN.incrementAndGet()) : bound,
        loops,
        verticle);
  }

  private static OpenListener openSocket(
      Vertx vertx,
      ListenerConfig config,
      ListenerConfig bound,
      DeploymentOptions loops,
      Function<ListenerConfig, ListenerVerticle> verticle) {
    Path path = config.socket().orElseThrow();
    UnixSocket.clear(path);
    Path staged = UnixSocket.stage(path);
    try {
      OpenListener opened = bind(vertx, config, bound.onSocket(staged), loops, verticle);
      return opened.withKey(UnixSocket.publish(staged, path, config.socketAccess()));
    } finally {
      UnixSocket.unstage(staged);
    }
  }

  private static OpenListener bind(
      Vertx vertx,
      ListenerConfig config,
      ListenerConfig bound,
      DeploymentOptions loops,
      Function<ListenerConfig, ListenerVerticle> verticle) {
    List<ListenerVerticle> verticles = new ArrayList<>();
    Future<String> deployment =
        vertx.deployVerticle(
            () -> {
              verticles.add(verticle.apply(bound));
              return verticles.getLast();
            },
            loops);
    String opened = await(config, deployment);
    ListenerVerticle first = verticles.getFirst();
    return new OpenListener(
        config,
        first.port(),
        opened,
        config
            .tls()
            .map(files -> watch(vertx, config.address(), files, bound.tls().orElseThrow(), first)),
        null);
  }

  private OpenListener withKey(@Nullable Object key) {
    return new OpenListener(config, port, deployment, certificates, key);
  }

  /** Removes the file of its socket: no client connects any more, and its accept queue drains. */
  void removeSocket() {
    config.socket().ifPresent(path -> UnixSocket.remove(path, socketKey));
  }

  private static CertificateReloader watch(
      Vertx vertx, String address, TlsConfig files, TlsConfig loaded, ListenerVerticle listener) {
    var expiry = new CertificateExpiry(address, InstantSource.system());
    return new CertificateReloader(
        files, loaded, changed -> Certificates.check(changed, vertx), listener::encrypt, expiry);
  }

  private static String await(ListenerConfig config, Future<String> deployment) {
    try {
      return deployment.toCompletionStage().toCompletableFuture().join();
    } catch (CompletionException e) {
      throw StartFailure.cannotListen(config.address(), e.getCause() == null ? e : e.getCause());
    }
  }

  /** Begins to look whether its certificates have changed. */
  void schedule(PeriodicTasks periodicTasks) {
    certificates.ifPresent(watch ->
        periodicTasks.schedule("the certificates of " + address(), watch.interval(), watch::look));
  }

  /**
   * Returns whether only this machine reaches it, so that browsers must name a known host. It says
   * nothing of what callers may do.
   */
  static boolean isLocal(ListenerConfig config) {
    if (config.socket().isPresent()) {
      return true;
    }
    try {
      return InetAddress.getByName(config.host()).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  /** Returns the address at which clients reach the listener. */
  String address() {
    return config.withPort(port).address();
  }
}
