package dev.sluice.transport.netty;

import dev.sluice.tensor.MemoryAccount;
import dev.sluice.tensor.MemoryBudget.Kind;
import dev.sluice.transport.connection.ClientAddress;
import dev.sluice.transport.connection.RateLimitedLog;
import dev.sluice.transport.connection.RequestMemory;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.LastHttpContent;
import io.vertx.core.http.HttpConnection;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Charges pipelined requests of an HTTP/1.1 connection that wait for those before them. Each is
 * much larger than the bytes that it came in, and Vert.x stops reading only when all bytes that the
 * socket has at one time are decoded: this handler stops that after one buffer, and closes a
 * connection for whose requests there is no memory. On the connection's event loop.
 */
public final class Http1Memory extends ChannelDuplexHandler {
  private static final RateLimitedLog LOG =
      new RateLimitedLog(LoggerFactory.getLogger(Http1Memory.class));

  /** Requests of a connection that are not charged: more than most clients pipeline. */
  private static final int UNCHARGED = 16;

  /** Bytes of a request's objects, with a few headers. */
  private static final int REQUEST = 1024;

  /** Bytes that are charged at once. */
  private static final int STEP = 32 * 1024;

  private final MemoryAccount account;
  private int waiting;
  private long charged;
  private boolean interrupted;

  private Http1Memory(MemoryAccount account) {
    this.account = account;
  }

  /** Charges what a connection holds that has just been opened, if it speaks HTTP/1. */
  public static void join(HttpConnection connection, RequestMemory memory) {
    ConnectionInternals.http1(connection)
        .ifPresent(vertx -> {
          MemoryAccount account = memory.account(vertx.channel());
          vertx.pipeline().addBefore(vertx.name(), null, new Http1Memory(account));
          vertx.channel().closeFuture().addListener(_ -> account.close());
        });
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // A channel that closes is what is wanted.
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof HttpRequest && ++waiting > UNCHARGED) {
      if (!interrupted && ctx.channel().config().isAutoRead()) {
        interrupted = true;
        ctx.channel().config().setAutoRead(false);
      }
      if (!charge()) {
        LOG.at(Level.INFO, "pipelined")
            .addKeyValue("client", ClientAddress.of(ctx.channel()))
            .log("a connection is closed: no memory for {} pipelined requests", waiting);
        ctx.close();
      }
    }
    ctx.fireChannelRead(message);
  }

  private boolean charge() {
    long held = (waiting - UNCHARGED) * (long) REQUEST;
    if (held <= charged) {
      return true;
    }
    boolean free = account.budget().free(Long.MAX_VALUE) >= STEP;
    if (free && account.tryCharge(Kind.BODY, STEP)) {
      charged += STEP;
      return true;
    }
    return false;
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
      if (charged > 0 && waiting <= UNCHARGED) {
        account.release(Kind.BODY, charged);
        charged = 0;
      }
    }
    ctx.write(message, promise);
  }

  private static boolean isContinue(Object message) {
    return message instanceof HttpResponse answer
        && answer.status().code() == HttpResponseStatus.CONTINUE.code();
  }
}
