package dev.sluice.transport;

import dev.sluice.config.ListenerConfig;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One event loop's share of a listener: deployed once for each, all on the same port. What it
 * accepts stays on its event loop.
 */
public final class ListenerVerticle extends VerticleBase {
  /** Bytes a client may send on a stream before it has to wait: a tensor of usual size fits. */
  private static final int STREAM_WINDOW = 4 * 1024 * 1024;

  /** The same for all streams of a connection together. */
  private static final int CONNECTION_WINDOW = 16 * 1024 * 1024;

  private static final int MAX_FRAME_SIZE = 128 * 1024;
  private static final long MAX_STREAMS = 1_000;

  private final ListenerConfig config;
  private final Duration idleTimeout;
  private final Duration drainTimeout;
  private final Consumer<HttpServerRequest> front;
  private HttpServer server;

  /**
   * @param config where to listen
   * @param idleTimeout after which a silent connection is closed; zero: never
   * @param drainTimeout how long requests under way may take when the listener closes
   * @param front answers requests on this verticle's event loop
   */
  @SuppressWarnings("NullAway.Init") // The server is there from start() on, before anything asks.
  public ListenerVerticle(
      ListenerConfig config,
      Duration idleTimeout,
      Duration drainTimeout,
      Consumer<HttpServerRequest> front) {
    this.config = config;
    this.idleTimeout = idleTimeout;
    this.drainTimeout = drainTimeout;
    this.front = front;
  }

  @Override
  public Future<?> start() {
    server = vertx.createHttpServer(options()).requestHandler(front::accept);
    return server.listen();
  }

  private HttpServerOptions options() {
    var options =
        new HttpServerOptions()
            .setHost(config.host())
            .setPort(config.port())
            .setReuseAddress(true)
            .setHttp2ConnectionWindowSize(CONNECTION_WINDOW)
            .setIdleTimeout(Math.toIntExact(idleTimeout.toMillis()))
            .setIdleTimeoutUnit(TimeUnit.MILLISECONDS);
    options
        .getInitialSettings()
        .setInitialWindowSize(STREAM_WINDOW)
        .setMaxFrameSize(MAX_FRAME_SIZE)
        .setMaxConcurrentStreams(MAX_STREAMS);
    return options;
  }

  /** Lets requests under way finish, then closes what is left. */
  @Override
  public Future<?> stop() {
    return server.shutdown(drainTimeout.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** The port that is really open. */
  public int port() {
    return server.actualPort();
  }
}
