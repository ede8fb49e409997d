package dev.sluice.transport.netty;

import dev.sluice.transport.connection.ConnectionDrain;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection of a listener that drains, or whose client has sent what cannot be read, in
 * two steps: first the direction to the client, then, when the client has closed its own or sends
 * nothing for a while, the rest. A socket that is closed at once while bytes arrive resets the
 * connection, and the client may lose answers that it has not read yet.
 *
 * <p>When a client closes its direction, what is written to it is sent to its end, and then the
 * connection closed: whether the client reads on, or has left, shows only when something is written
 * to it. For what is not answered by then it counts as one that has left.
 *
 * <p>The first handler of each accepted connection. All on its event loop.
 */
final class LingeringClose extends ChannelDuplexHandler {
  /** A client that sends nothing for so long after the end of all answers sends nothing more. */
  private static final long IDLE_MILLIS = 100;

  /** No client is waited for longer. */
  private static final long MOST_MILLIS = 500;

  /** One less than what Netty subtracts from it for a socket that takes no more. */
  private static final int UNTIL_FULL = Integer.MAX_VALUE - 1;

  private final ConnectionDrain drain;
  private boolean lingers;
  private boolean closing;
  private boolean ended;
  private long began;
  private long lastRead;

  LingeringClose(ConnectionDrain drain) {
    this.drain = drain;
  }

  /** Closes a connection in two steps when it is closed, though its listener does not drain. */
  static void linger(Channel channel) {
    LingeringClose handler = channel.pipeline().get(LingeringClose.class);
    if (handler != null) {
      handler.lingers = true;
    }
  }

  @Override
  public void channelRegistered(ChannelHandlerContext ctx) {
    drain.add(ctx.channel());
    ctx.fireChannelRegistered();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (closing) {
      lastRead = System.nanoTime();
      ReferenceCountUtil.release(message);
    } else {
      ctx.fireChannelRead(message);
    }
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // A channel that closes is what is wanted.
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == ChannelInputShutdownEvent.INSTANCE) {
      closeBehindAnswers(ctx);
    } else if (event != ConnectionDrain.Step.END) {
      ctx.fireUserEventTriggered(event);
    } else if (!closing) {
      close(ctx, ctx.newPromise());
    }
  }

  /**
   * Writes what there is until the socket takes no more, not so many times and again in a later
   * turn as Netty does: its epoll transport has no event left to wait for between those turns,
   * forgets the socket then (4.2.18), and fails with the next write that would have to wait.
   */
  @SuppressWarnings("FutureReturnValueIgnored") // A channel that closes is what is wanted.
  private static void closeBehindAnswers(ChannelHandlerContext ctx) {
    ctx.channel().config().setWriteSpinCount(UNTIL_FULL);
    ctx.channel().flush();
    ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(_ -> ctx.close());
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // The promise reports the outcome.
  public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
    boolean canLinger = ctx.channel() instanceof DuplexChannel && ctx.channel().isActive();
    if (!(lingers || drain.begun()) || !canLinger) {
      ctx.close(promise);
      return;
    }
    if (!promise.isVoid()) {
      ctx.channel().closeFuture().addListener(_ -> promise.trySuccess());
    }
    if (!closing) {
      begin(ctx);
    }
  }

  private void begin(ChannelHandlerContext ctx) {
    closing = true;
    began = System.nanoTime();
    lastRead = began;
    Channel channel = ctx.channel();
    // What was written before is still on its way to the socket.
    ctx.writeAndFlush(Unpooled.EMPTY_BUFFER)
        .addListener(_ -> {
          var _ = ((DuplexChannel) channel).shutdownOutput();
          ended = true;
          lastRead = System.nanoTime();
        });
    channel.config().setAutoRead(true);
    checkAgain(ctx, IDLE_MILLIS);
  }

  private void checkAgain(ChannelHandlerContext ctx, long millis) {
    var _ = ctx.executor().schedule(() -> look(ctx), millis, TimeUnit.MILLISECONDS);
  }

  @SuppressWarnings("FutureReturnValueIgnored") // A channel that closes is what is wanted.
  private void look(ChannelHandlerContext ctx) {
    long now = System.nanoTime();
    long idleMillis = TimeUnit.NANOSECONDS.toMillis(now - lastRead);
    boolean tooLong = now - began >= TimeUnit.MILLISECONDS.toNanos(MOST_MILLIS);
    if (!ctx.channel().isOpen()) {
      return;
    }
    if (tooLong || (ended && idleMillis >= IDLE_MILLIS)) {
      ctx.close();
    } else {
      checkAgain(ctx, Math.max(1, IDLE_MILLIS - idleMillis));
    }
  }
}
