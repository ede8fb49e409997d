package dev.sluice.transport.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.vertx.core.Context;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.core.net.impl.ShutdownEvent;
import io.vertx.core.net.impl.VertxHandler;
import java.util.Optional;

/**
 * The parts of a Vert.x connection into which the server hooks handlers of its own. Vert.x promises
 * none of them: a version that builds its connections otherwise is refused with an error that names
 * the part, so that no hook is missing unnoticed. On the connection's event loop.
 */
public final class ConnectionInternals {
  private ConnectionInternals() {}

  /**
   * Returns the context of the handler in which Vert.x' part of the pipeline begins.
   *
   * @throws IllegalStateException if the connection shows no pipeline
   */
  public static ChannelHandlerContext context(HttpConnection connection) {
    return base(connection).channelHandlerContext();
  }

  /**
   * Returns the channel of a connection.
   *
   * @throws IllegalStateException if the connection shows no pipeline
   */
  public static Channel channel(HttpConnection connection) {
    return context(connection).channel();
  }

  /**
   * Returns the context of a connection, in which its handlers run actions.
   *
   * @throws IllegalStateException if the connection shows none
   */
  public static Context dispatch(HttpConnection connection) {
    return base(connection).context();
  }

  /** Returns whether a user event of a channel says that its listener closes. */
  public static boolean isShutdown(Object event) {
    return event instanceof ShutdownEvent;
  }

  /** Returns the connection as the class that holds its channel and its context. */
  static ConnectionBase base(HttpConnection connection) {
    if (connection instanceof ConnectionBase base) {
      return base;
    }
    throw unknown(connection, "is no " + ConnectionBase.class.getName());
  }

  /**
   * Returns the handler of HTTP/2 frames; empty if the connection speaks HTTP/1.
   *
   * @throws IllegalStateException if a connection of HTTP/2 has none
   */
  public static Optional<Http2ConnectionHandler> http2(HttpConnection connection) {
    var handler = context(connection).pipeline().get(Http2ConnectionHandler.class);
    if ((handler != null) != (connection.protocolVersion() == HttpVersion.HTTP_2)) {
      throw unknown(
          connection, "speaks HTTP/2 without a " + Http2ConnectionHandler.class.getName());
    }
    return Optional.ofNullable(handler);
  }

  /**
   * Returns the context of Vert.x' handler of HTTP/1 messages; empty if the connection speaks
   * HTTP/2.
   *
   * @throws IllegalStateException if a connection of HTTP/1 has no such handler behind a decoder
   *     and an encoder
   */
  public static Optional<ChannelHandlerContext> http1(HttpConnection connection) {
    if (http2(connection).isPresent()) {
      return Optional.empty();
    }
    ChannelHandlerContext context = context(connection);
    if (!(context.handler() instanceof VertxHandler)
        || context.pipeline().get(HttpRequestDecoder.class) == null) {
      throw unknown(connection, "has no VertxHandler behind an HttpRequestDecoder");
    }
    if (context.pipeline().get(HttpResponseEncoder.class) == null) {
      throw unknown(connection, "has no HttpResponseEncoder");
    }
    return Optional.of(context);
  }

  private static IllegalStateException unknown(HttpConnection connection, String what) {
    return new IllegalStateException(
        "this version of Vert.x is not known: a connection of class %s %s"
            .formatted(connection.getClass().getName(), what));
  }
}
