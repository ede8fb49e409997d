package dev.sluice.transport;

import dev.sluice.config.security.TlsConfig;
import dev.sluice.config.server.LimitsConfig;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.inference.health.OutOfMemory;
import dev.sluice.transport.connection.ConnectionCount;
import dev.sluice.transport.connection.ConnectionDrain;
import dev.sluice.transport.connection.MalformedRequest;
import dev.sluice.transport.connection.RateLimitedLog;
import dev.sluice.transport.connection.RequestMemory;
import dev.sluice.transport.connection.ResponseDate;
import dev.sluice.transport.netty.DetectedProtocol;
import dev.sluice.transport.netty.FlushCoalescing;
import dev.sluice.transport.netty.Http1Drain;
import dev.sluice.transport.netty.Http1HeadDecoder;
import dev.sluice.transport.netty.Http1Memory;
import dev.sluice.transport.netty.Http1Progress;
import dev.sluice.transport.netty.Http1ResponseEncoder;
import dev.sluice.transport.netty.Http1Validity;
import dev.sluice.transport.netty.ProtocolDetectionTransport;
import dev.sluice.transport.netty.ProtocolDetector;
import dev.sluice.transport.netty.http2.Http2Drain;
import dev.sluice.transport.netty.http2.Http2Guard;
import dev.sluice.transport.netty.http2.Http2Memory;
import dev.sluice.transport.netty.http2.Http2ResetStreams;
import dev.sluice.transport.netty.http2.Http2StreamMemory;
import dev.sluice.transport.netty.http2.SocketAuthority;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.SocketAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * One event loop's share of a listener: deployed once for each, all on the same port. What it
 * accepts stays on its event loop.
 */
public final class ListenerVerticle extends VerticleBase {
  private static final RateLimitedLog LOG =
      new RateLimitedLog(LoggerFactory.getLogger(ListenerVerticle.class));

  /** Bytes a client may send on a stream before it has to wait: a tensor of usual size fits. */
  private static final int STREAM_WINDOW = 4 * 1024 * 1024;

  /** The same for all streams of a connection together. */
  private static final int CONNECTION_WINDOW = 16 * 1024 * 1024;

  private static final int MAX_FRAME_SIZE = 128 * 1024;
  private static final long MAX_STREAMS = 1_000;

  /** Connections that wait to be accepted: thousands may come back at once after a restart. */
  private static final int BACKLOG = 4_096;

  /**
   * Streams that a client may open and cancel within the time below before it is taken for an
   * attack. Clients cancel what is late: under overload that is every stream there is.
   */
  private static final int MAX_RESETS = 2 * (int) MAX_STREAMS;

  private static final int RESET_WINDOW_SECONDS = 10;

  /** Connections that are ended are closed by then. */
  private static final long LAST_MILLIS = 1_000;

  private final ListenerConfig config;
  private final LimitsConfig limits;
  private final ConnectionCount connections;
  private final RequestMemory memory;
  private final ConnectionDrain drain;
  private final ListenerDispatcher dispatcher;
  private final Optional<DetectedProtocol> detectedProtocol;
  private HttpServer server;

  /**
   * @param config where to listen
   * @param limits what one caller may cost
   * @param connections shared by all event loops of the listener
   * @param memory what all requests of the server may hold
   * @param drain ends them, shared in the same way
   * @param dispatcher answers requests on this verticle's event loop
   * @param detectedProtocol takes over connections that speak something else than HTTP; it is not
   *     asked if the listener encrypts, since what it speaks does not
   */
  @SuppressWarnings("NullAway.Init") // The server is there from start() on, before anything asks.
  public ListenerVerticle(
      ListenerConfig config,
      LimitsConfig limits,
      ConnectionCount connections,
      RequestMemory memory,
      ConnectionDrain drain,
      ListenerDispatcher dispatcher,
      Optional<DetectedProtocol> detectedProtocol) {
    this.config = config;
    this.limits = limits;
    this.connections = connections;
    this.memory = memory;
    this.drain = drain;
    this.dispatcher = dispatcher;
    this.detectedProtocol = detectedProtocol;
  }

  @Override
  public Future<?> start() {
    if (config.tls().isEmpty()) {
      detectedProtocol.ifPresent(
          raw -> context.put(ProtocolDetector.Binding.class, new ProtocolDetector.Binding(raw)));
    }
    server =
        vertx
            .createHttpServer(options())
            .connectionHandler(this::opened)
            .invalidRequestHandler(this::refuse)
            .requestHandler(dispatcher::answer);
    SocketAddress address = address();
    if (config.socket().isPresent() || config.port() > 0) {
      admit(address);
      return server.listen(address);
    }
    return server.listen(address).onSuccess(_ -> admit(bound()));
  }

  /** Returns the address that is really bound. */
  private SocketAddress bound() {
    return config.socket().isPresent()
        ? address()
        : SocketAddress.inetSocketAddress(port(), config.host());
  }

  private void admit(SocketAddress address) {
    ProtocolDetectionTransport.admit(
        vertx,
        address,
        new ProtocolDetectionTransport.Admission(connections, drain, limits, memory));
  }

  /**
   * Returns the socket address; a negative port names one that the system chooses, once for all
   * verticles that name it.
   */
  private SocketAddress address() {
    if (config.socket().isPresent()) {
      return SocketAddress.domainSocketAddress(config.socket().get().toString());
    }
    return config.port() < 0
        ? SocketAddress.sharedRandomPort(-config.port(), config.host())
        : SocketAddress.inetSocketAddress(config.port(), config.host());
  }

  private void opened(HttpConnection connection) {
    connection.exceptionHandler(failure -> failed(connection, failure));
    hook(connection);
  }

  /** Puts the server's own handlers into a connection, or closes it: none may be missing. */
  private void hook(HttpConnection connection) {
    try {
      Http1Validity.join(connection);
      Http1ResponseEncoder.join(connection);
      FlushCoalescing.join(connection);
      dispatcher.opened(connection);
      Http1Drain.join(connection, drain);
      if (config.socket().isPresent()) {
        SocketAuthority.join(connection);
      }
      Http1Progress.join(connection);
      Http1Memory.join(connection);
      Http2Memory.join(connection, memory);
      Http2StreamMemory.join(connection, connections.memory());
      Http2Guard.join(connection, limits, dispatcher::isStream);
      Http2Drain.join(connection);
      Http2ResetStreams.join(connection);
    } catch (IllegalStateException e) {
      LOG.at(Level.ERROR, "hook").log("a connection is closed: {}", e.getMessage());
      connection.close();
    }
  }

  /** Answers what is no request, and reads nothing more of its connection. */
  private void refuse(HttpServerRequest request) {
    dispatcher.refusing(request);
    MalformedRequest why = MalformedRequest.head(request.decoderResult().cause());
    request
        .response()
        .setStatusCode(why.status())
        .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
        .putHeader(HttpHeaders.DATE, ResponseDate.now())
        .putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE)
        .end(new JsonObject().put("error", why.text()).toBuffer());
  }

  /**
   * Logs a failure of a connection quietly: whatever a client sends is no failure of the server.
   */
  private static void failed(HttpConnection connection, Throwable failure) {
    OutOfMemory.endProcessIf(failure);
    LOG.at(Level.INFO, "connection")
        .addKeyValue("client", connection.remoteAddress())
        .log(
            "a connection has failed: {}",
            failure.getMessage() == null ? failure : failure.getMessage());
  }

  private HttpServerOptions options() {
    var options =
        new HttpServerOptions()
            .setReuseAddress(true)
            .setStrictThreadMode(true)
            .setAcceptBacklog(BACKLOG)
            .setTcpKeepAlive(true)
            .setMaxHeaderSize(Http1HeadDecoder.MAX_HEADERS)
            .setPerMessageWebSocketCompressionSupported(false)
            .setPerFrameWebSocketCompressionSupported(false)
            .setHttp2RstFloodMaxRstFramePerWindow(MAX_RESETS)
            .setHttp2RstFloodWindowDuration(RESET_WINDOW_SECONDS)
            .setHttp2RstFloodWindowDurationTimeUnit(TimeUnit.SECONDS)
            .setHttp2ConnectionWindowSize(CONNECTION_WINDOW);
    options
        .getInitialSettings()
        .setInitialWindowSize(STREAM_WINDOW)
        .setMaxFrameSize(MAX_FRAME_SIZE)
        .setMaxConcurrentStreams(MAX_STREAMS)
        .setMaxHeaderListSize(Http1HeadDecoder.MAX_HEADERS);
    if (!limits.connection().writeTimeout().isZero() && config.socket().isEmpty()) {
      options.setTcpUserTimeout(Math.toIntExact(limits.connection().writeTimeout().toMillis()));
    }
    config.tls().ifPresent(tls -> Tls.apply(tls, options));
    return options;
  }

  /**
   * Encrypts new connections with other certificates; open ones go on as they are. Any thread.
   *
   * @param tls for all event loops of the listener
   */
  public Future<?> encrypt(TlsConfig tls) {
    return server.updateSSLOptions(Tls.options(tls), true);
  }

  /**
   * Accepts what waits to be accepted, stops listening, lets requests under way finish, then closes
   * what is left.
   */
  @Override
  public Future<?> stop() {
    drain.begin();
    return ProtocolDetectionTransport.stopListening(vertx, bound())
        .compose(_ -> nextTurn())
        .compose(_ -> shutdown());
  }

  /**
   * Lets the event loop begin with the connections that it was given before the listener closed:
   * Vert.x closes those for which there is no listener any more.
   */
  private Future<Void> nextTurn() {
    Promise<Void> turn = Promise.promise();
    context.runOnContext(_ -> turn.complete());
    return turn.future();
  }

  private Future<?> shutdown() {
    dispatcher.closing();
    long millis = drain.timeout().toMillis();
    long end = vertx.setTimer(Math.max(1, millis), _ -> drain.end());
    return server
        .shutdown(millis + LAST_MILLIS, TimeUnit.MILLISECONDS)
        .onComplete(_ -> vertx.cancelTimer(end));
  }

  /** Returns the port that is really open; of a Unix domain socket, none that means anything. */
  public int port() {
    return server.actualPort();
  }
}
