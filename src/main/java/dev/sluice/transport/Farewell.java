package dev.sluice.transport;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponse;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ShutdownEvent;
import java.util.concurrent.TimeUnit;

/**
 * Tells an HTTP/1.1 client with an answer that the connection ends, as GOAWAY tells one of HTTP/2:
 * a client that is not told may send its next request into a connection that is being closed, and
 * never hears of it again. When the listener closes, the connection stays open for a moment more,
 * so that a client that asks one thing after the other gets such an answer.
 */
final class Farewell extends ChannelDuplexHandler {
  /** A client that is between two requests has sent the next one by then. */
  static final long MOMENT_MILLIS = 200;

  private boolean begun;

  /** Looks after a connection that has just been opened. On its event loop. */
  static void join(HttpConnection connection) {
    ConnectionInternals.http1(connection)
        .ifPresent(vertx -> vertx.pipeline().addBefore(vertx.name(), null, new Farewell()));
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // Nobody waits for it: the listener does.
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof ShutdownEvent) {
      begun = true;
      ctx.executor()
          .schedule(() -> ctx.fireUserEventTriggered(event), MOMENT_MILLIS, TimeUnit.MILLISECONDS);
    } else {
      ctx.fireUserEventTriggered(event);
    }
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // What becomes of it is told by the promise.
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (begun && message instanceof HttpResponse answer && answer.status().code() >= 200) {
      answer.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    }
    ctx.write(message, promise);
  }
}
