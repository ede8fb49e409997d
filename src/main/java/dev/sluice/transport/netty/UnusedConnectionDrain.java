package dev.sluice.transport.netty;

import dev.sluice.transport.connection.LastActivity;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.impl.VertxHandler;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection on which no request has begun when its listener closes: load balancers open
 * some beforehand. Vert.x would wait for it as long as for a request under way. A client that is
 * about to send something has a grace period, longer if it has just connected; a handler that takes
 * the connection over in that time is notified at its end that the listener closes, since no
 * handler was notified before.
 */
final class UnusedConnectionDrain extends ChannelInboundHandlerAdapter {
  private final LastActivity accepted = new LastActivity();
  private boolean takenOver;

  /** Records that the connection speaks something else than HTTP from now on. On its event loop. */
  void takenOver() {
    takenOver = true;
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // The result is not needed: the listener waits.
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (ConnectionInternals.isShutdown(event) && isUnused(ctx)) {
      scheduleEnd(Http1Drain.GRACE_MILLIS, ctx, event);
    } else {
      ctx.fireUserEventTriggered(event);
    }
  }

  private void scheduleEnd(long millis, ChannelHandlerContext ctx, Object shutdown) {
    var _ = ctx.executor().schedule(() -> endGrace(ctx, shutdown), millis, TimeUnit.MILLISECONDS);
  }

  @SuppressWarnings("FutureReturnValueIgnored") // A channel that closes is what is wanted.
  private void endGrace(ChannelHandlerContext ctx, Object shutdown) {
    if (!isUnused(ctx)) {
      ctx.fireUserEventTriggered(shutdown);
    } else if (accepted.isOver()) {
      ctx.close();
    } else {
      scheduleEnd(LastActivity.POLL_MILLIS, ctx, shutdown);
    }
  }

  /**
   * Returns whether Vert.x has not seen yet which protocol it is, or the head of a first request.
   */
  private boolean isUnused(ChannelHandlerContext ctx) {
    if (takenOver || ctx.pipeline().get(Http2ConnectionHandler.class) != null) {
      return false;
    }
    VertxHandler<?> handler = ctx.pipeline().get(VertxHandler.class);
    return handler == null || handler.getConnection() instanceof NetSocketInternal;
  }
}
