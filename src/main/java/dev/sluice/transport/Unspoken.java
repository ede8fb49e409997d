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
 * about to send something has a moment for it; who takes the connection over in that moment hears
 * at its end that the listener closes, since nobody who could do something about it heard before.
 */
final class Unspoken extends ChannelInboundHandlerAdapter {
  private boolean takenOver;

  /** The connection speaks something else than HTTP from now on. On its event loop. */
  void takenOver() {
    takenOver = true;
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // Nobody waits for it: the listener does.
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof ShutdownEvent && isUnspoken(ctx)) {
      ctx.executor()
          .schedule(() -> endMoment(ctx, event), Http1Drain.MOMENT_MILLIS, TimeUnit.MILLISECONDS);
    } else {
      ctx.fireUserEventTriggered(event);
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // A channel that closes is what is wanted.
  private void endMoment(ChannelHandlerContext ctx, Object shutdown) {
    if (isUnspoken(ctx)) {
      ctx.close();
    } else {
      ctx.fireUserEventTriggered(shutdown);
    }
  }

  /** Whether Vert.x has not seen yet which protocol it is, or the head of a first request. */
  private boolean isUnspoken(ChannelHandlerContext ctx) {
    if (takenOver || ctx.pipeline().get(Http2ConnectionHandler.class) != null) {
      return false;
    }
    VertxHandler<?> handler = ctx.pipeline().get(VertxHandler.class);
    return handler == null || handler.getConnection() instanceof NetSocketInternal;
  }
}
