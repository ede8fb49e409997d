package dev.sluice.transport.netty;

import dev.sluice.transport.connection.ConnectionDrain;
import dev.sluice.transport.connection.LastActivity;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.http.HttpConnection;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

/**
 * Drains a connection of HTTP/1.1: the last answer to the requests that have arrived says {@code
 * Connection: close}, and the connection closes behind it. A connection between two requests has
 * nothing that could say so: it stays open until the listener closes, and for a grace period,
 * longer if it was answered within the last second, since a client that asks one thing after the
 * other asks again in that time.
 *
 * <p>Vert.x would drop requests that came in before the answer to an earlier one. On the
 * connection's event loop.
 */
public final class Http1Drain extends ChannelDuplexHandler {
  /** A client that is between two requests has sent the next one by then. */
  static final long GRACE_MILLIS = 200;

  private final ConnectionDrain drain;

  /** Requests whose answer is not written whole. */
  private int open;

  private final Queue<Object> held = new ArrayDeque<>();
  private int heldRequests;
  private boolean arriving;
  private boolean announced;
  private boolean closing;
  private final LastActivity activity = new LastActivity();

  private Http1Drain(ConnectionDrain drain) {
    this.drain = drain;
  }

  /** Looks after a connection that has just been opened. On its event loop. */
  public static void join(HttpConnection connection, ConnectionDrain drain) {
    ConnectionInternals.http1(connection)
        .ifPresent(vertx -> vertx.pipeline().addBefore(vertx.name(), null, new Http1Drain(drain)));
  }

  /**
   * While the listener drains, all of what was read at once goes on together: the answer to the
   * first request is the last one only if no other came with it.
   */
  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (drain.begun()) {
      activity.touch();
      if (message instanceof HttpRequest) {
        heldRequests++;
      }
      held.add(message);
    } else {
      read(ctx, message);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    for (Object message = held.poll(); message != null; message = held.poll()) {
      read(ctx, message);
    }
    ctx.fireChannelReadComplete();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    for (Object message = held.poll(); message != null; message = held.poll()) {
      ReferenceCountUtil.release(message);
    }
  }

  private void read(ChannelHandlerContext ctx, Object message) {
    if (message instanceof HttpRequest && heldRequests > 0) {
      heldRequests--;
    }
    if (announced && !arriving) {
      // Its client knows that it is not answered.
      ReferenceCountUtil.release(message);
      return;
    }
    if (message instanceof HttpRequest) {
      open++;
      arriving = true;
    }
    boolean last = message instanceof LastHttpContent;
    if (last) {
      arriving = false;
    }
    ctx.fireChannelRead(message);
    if (last) {
      closeIfDone(ctx);
    }
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // The promise reports the outcome.
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (message instanceof HttpResponse answer
        && answer.status().code() >= 200
        && open + heldRequests <= 1
        && drain.begun()) {
      answer.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
      announced = true;
    }
    ctx.write(message, promise);
    if (message instanceof LastHttpContent
        && !(message instanceof HttpResponse interim && interim.status().code() < 200)) {
      open--;
      activity.touch();
      if (announced) {
        // After Vert.x has seen to it that the request is over.
        ctx.executor().execute(() -> closeIfDone(ctx));
      } else if (closing) {
        closeIn(GRACE_MILLIS, ctx);
      }
    }
  }

  private void closeIfDone(ChannelHandlerContext ctx) {
    if (announced && open <= 0 && !arriving) {
      var _ = ctx.close();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (ConnectionInternals.isShutdown(event)) {
      closing = true;
      closeIn(GRACE_MILLIS, ctx);
    } else {
      ctx.fireUserEventTriggered(event);
    }
  }

  private void closeIn(long millis, ChannelHandlerContext ctx) {
    var _ = ctx.executor().schedule(() -> closeIfIdle(ctx), millis, TimeUnit.MILLISECONDS);
  }

  private void closeIfIdle(ChannelHandlerContext ctx) {
    ConnectionGuard guard = ConnectionGuard.of(ctx.channel());
    if (open > 0 || !held.isEmpty() || (guard != null && !guard.isBetweenRequests())) {
      return;
    }
    if (activity.isOver()) {
      var _ = ctx.close();
    } else {
      closeIn(LastActivity.POLL_MILLIS, ctx);
    }
  }
}
