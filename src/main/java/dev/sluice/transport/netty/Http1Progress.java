package dev.sluice.transport.netty;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.vertx.core.http.HttpConnection;

/** Tells the guard of a connection of HTTP/1.1 what its decoder has read. On its event loop. */
public final class Http1Progress extends ChannelInboundHandlerAdapter {
  private final ConnectionGuard guard;

  private Http1Progress(ConnectionGuard guard) {
    this.guard = guard;
  }

  /** Looks after a connection that has just been opened. */
  public static void join(HttpConnection connection) {
    ConnectionInternals.http1(connection)
        .ifPresent(last -> {
          ConnectionGuard guard = ConnectionGuard.of(last.channel());
          if (guard != null) {
            last.pipeline().addBefore(last.name(), null, new Http1Progress(guard));
          }
        });
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof HttpRequest) {
      guard.headRead();
    }
    if (message instanceof LastHttpContent) {
      guard.requestRead();
    }
    ctx.fireChannelRead(message);
  }
}
