package dev.sluice.transport;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.impl.ShutdownEvent;
import io.vertx.core.net.impl.VertxHandler;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection on which no request has begun when its listener closes: load balancers open
 * some beforehand. Vert.x would wait for it as long as for a request under way. A client that is
 * about to send something has a moment for it.
 */
final class Unspoken extends ChannelInboundHandlerAdapter {
  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // Nobody waits for it: the listener does.
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    ctx.fireUserEventTriggered(event);
    if (event instanceof ShutdownEvent) {
      ctx.executor()
          .schedule(() -> closeIfUnspoken(ctx), Farewell.MOMENT_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // A channel that closes is what is wanted.
  private static void closeIfUnspoken(ChannelHandlerContext ctx) {
    if (!ctx.isRemoved() && isUnspoken(ctx)) {
      ctx.close();
    }
  }

  /** Whether Vert.x has not seen yet which protocol it is, or the head of a first request. */
  private static boolean isUnspoken(ChannelHandlerContext ctx) {
    if (ctx.pipeline().get(Http2ConnectionHandler.class) != null) {
      return false;
    }
    VertxHandler<?> handler = ctx.pipeline().get(VertxHandler.class);
    return handler == null || handler.getConnection() instanceof NetSocketInternal;
  }
}
