package dev.sluice.transport.netty;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.LastHttpContent;
import io.vertx.core.http.HttpConnection;

/**
 * Lets few pipelined requests of an HTTP/1.1 connection wait for those before them: Vert.x stops
 * reading only when all bytes that the socket has at one time are decoded, this handler does after
 * one buffer. What they hold is counted by {@link Http1HeadMemory}. On the connection's event loop.
 */
public final class Http1Memory extends ChannelDuplexHandler {
  /** Requests of a connection that may wait: more than most clients pipeline. */
  private static final int MOST_WAITING = 16;

  private final Http1HeadMemory heads;
  private int waiting;
  private boolean interrupted;

  private Http1Memory(Http1HeadMemory heads) {
    this.heads = heads;
  }

  /** Looks after a connection that has just been opened, if it speaks HTTP/1. */
  public static void join(HttpConnection connection) {
    ConnectionInternals.http1(connection)
        .ifPresent(vertx -> {
          Http1HeadMemory heads = Http1HeadMemory.of(vertx.channel());
          if (heads != null) {
            // One that is encrypted has just been given its decoder; others have ours by now.
            Http1HeadDecoder.replace(vertx.pipeline());
            vertx.pipeline().addBefore(vertx.name(), null, new Http1Memory(heads));
          }
        });
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof HttpRequest
        && ++waiting > MOST_WAITING
        && !interrupted
        && ctx.channel().config().isAutoRead()) {
      interrupted = true;
      ctx.channel().config().setAutoRead(false);
    }
    ctx.fireChannelRead(message);
  }

  /** Lets the socket be read again, unless Vert.x stops that for as long as requests wait. */
  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (interrupted) {
      interrupted = false;
      ctx.channel().config().setAutoRead(true);
    }
    ctx.fireChannelReadComplete();
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // The promise reports the outcome.
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (message instanceof LastHttpContent && !isContinue(message)) {
      waiting--;
      heads.answered();
    }
    ctx.write(message, promise);
  }

  private static boolean isContinue(Object message) {
    return message instanceof HttpResponse answer
        && answer.status().code() == HttpResponseStatus.CONTINUE.code();
  }
}
