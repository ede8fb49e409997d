package dev.sluice.transport.netty;

import dev.sluice.config.server.LimitsConfig;
import dev.sluice.transport.connection.ClientAddress;
import dev.sluice.transport.connection.RateLimitedLog;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.util.concurrent.ScheduledFuture;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Closes a connection that costs the server something and makes no progress: on which no request
 * begins, whose request does not become whole, whose client does not read its answers, or on which
 * nothing at all happens. The first handler of each accepted connection, before TLS: it sees bytes,
 * and the handlers behind it say what they made of them. It looks from time to time, so that no
 * request has to ask what time it is. All on the connection's event loop.
 */
public final class ConnectionGuard extends ChannelDuplexHandler {
  private static final RateLimitedLog LOG =
      new RateLimitedLog(LoggerFactory.getLogger(ConnectionGuard.class));

  /** Looks at a connection in the time of its shortest limit. */
  private static final int LOOKS = 4;

  private static final long SHORTEST_LOOK = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long LONGEST_LOOK = TimeUnit.SECONDS.toNanos(5);

  /** The phase of a connection, by what its bytes belong to. */
  private enum Phase {
    /** Nothing is known yet: TLS is agreed on, the protocol detected, the first head read. */
    OPENING("no request has begun"),
    /** Between two requests, or on a connection whose requests are looked after one by one. */
    BETWEEN(""),
    /** The head of a request, or a frame. */
    HEAD("the head of a request does not become whole"),
    /** The body of a request. */
    BODY("the body of a request arrives too slowly");

    private final String problem;

    Phase(String problem) {
      this.problem = problem;
    }
  }

  private final String listener;
  private final long headTime;
  private final long writeTime;
  private final long leastBytes;
  private final long idleTime;
  private final long look;
  private Phase phase = Phase.OPENING;

  /** True if the phase began after the last poll. */
  private boolean entered;

  /** True if anything was read or written after the last poll. */
  private boolean active;

  private long phaseBegan = System.nanoTime();
  private long lastActive = phaseBegan;
  private long bytes;
  private boolean framed;
  private @Nullable Object firstUnwritten;
  private long writtenOfIt;
  private long lastWrite;
  private @Nullable ScheduledFuture<?> looking;
  private LongConsumer others = _ -> {};

  /**
   * @param listener what logs call it
   */
  ConnectionGuard(LimitsConfig limits, String listener) {
    this.listener = listener;
    headTime = nanos(limits.connection().headerTimeout());
    writeTime = nanos(limits.connection().writeTimeout());
    leastBytes = limits.connection().minUploadRate();
    idleTime = nanos(limits.idleTimeout());
    long shortest = Math.min(idleTime, Math.min(headTime, writeTime));
    look = Math.clamp(shortest / LOOKS, SHORTEST_LOOK, LONGEST_LOOK);
  }

  /** Returns a limit in nanoseconds; 0 stands for none. */
  public static long nanos(Duration time) {
    return time.isZero() ? Long.MAX_VALUE : time.toNanos();
  }

  /** Returns the guard of a connection; null if it was not accepted by a listener of ours. */
  public static @Nullable ConnectionGuard of(Channel channel) {
    return channel.pipeline().get(ConnectionGuard.class);
  }

  @Override
  public void channelRegistered(ChannelHandlerContext ctx) {
    looking =
        ctx.executor().scheduleWithFixedDelay(() -> look(ctx), look, look, TimeUnit.NANOSECONDS);
    ctx.fireChannelRegistered();
  }

  @Override
  public void channelUnregistered(ChannelHandlerContext ctx) {
    if (looking != null) {
      looking.cancel(false);
    }
    ctx.fireChannelUnregistered();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    active = true;
    if (phase == Phase.BETWEEN) {
      enter(Phase.HEAD);
    }
    bytes += ((ByteBuf) message).readableBytes();
    ctx.fireChannelRead(message);
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // The promise reports the outcome.
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    active = true;
    ctx.write(message, promise);
  }

  /** Records that the head of a request is whole, and a body follows. */
  void headRead() {
    enter(Phase.BODY);
  }

  /** Returns whether no part of an incomplete request has arrived. */
  boolean isBetweenRequests() {
    return phase == Phase.BETWEEN;
  }

  /** Records that a request is whole. */
  void requestRead() {
    enter(Phase.BETWEEN);
  }

  /**
   * Records that a frame of HTTP/2 or brpc is whole. What follows may be a long one: it is given
   * more time than the head of a request for as long as it arrives.
   */
  public void frameRead() {
    framed = true;
    enter(Phase.BETWEEN);
  }

  /** Returns the number of bytes of a frame that is not whole yet. */
  public long bytesOfFrame() {
    return phase == Phase.HEAD ? bytes : 0;
  }

  /** Has someone else look at the same times. */
  public void lookToo(LongConsumer other) {
    others = other;
  }

  private void enter(Phase next) {
    phase = next;
    entered = true;
    bytes = 0;
  }

  private void look(ChannelHandlerContext ctx) {
    long now = System.nanoTime();
    if (entered) {
      entered = false;
      phaseBegan = now;
    }
    if (isUnread(ctx.channel(), now)) {
      close(ctx, "unread", "a connection is closed: its client does not read");
    } else if (!ctx.channel().config().isAutoRead()) {
      // It is the server that does not read.
      phaseBegan = now;
      bytes = 0;
    } else if (isTooLate(now)) {
      close(ctx, problem(), "a connection is closed: " + problem());
    }
    if (ctx.channel().isActive()) {
      others.accept(now);
      if (isIdle(now)) {
        // The protocol handler of the connection closes it in its own way.
        ctx.fireUserEventTriggered(IdleStateEvent.ALL_IDLE_STATE_EVENT);
      }
    }
  }

  private String problem() {
    return phase == Phase.OPENING && bytes > 0
        ? "its first request does not begin within the time for a head"
        : phase.problem;
  }

  private boolean isIdle(long now) {
    boolean idle = !active && now - lastActive >= idleTime;
    if (active || idle) {
      active = false;
      lastActive = now;
    }
    return idle;
  }

  private boolean isTooLate(long now) {
    long time = now - phaseBegan;
    if (phase == Phase.BETWEEN || time < headTime) {
      return false;
    }
    if (phase == Phase.OPENING || (phase == Phase.HEAD && !framed)) {
      return true;
    }
    boolean tooSlow = bytes < leastBytes * (time / 1e9);
    if (!tooSlow) {
      phaseBegan = now;
      bytes = 0;
    }
    return tooSlow;
  }

  @SuppressWarnings("ReferenceEquality") // Whether it is the same message, not one like it.
  private boolean isUnread(Channel channel, long now) {
    ChannelOutboundBuffer unwritten = channel.unsafe().outboundBuffer();
    Object first = unwritten == null ? null : unwritten.current();
    long written = unwritten == null ? 0 : unwritten.currentProgress();
    if (first == null || first != firstUnwritten || written != writtenOfIt) {
      firstUnwritten = first;
      active |= written != writtenOfIt;
      writtenOfIt = written;
      lastWrite = now;
      return false;
    }
    return now - lastWrite >= writeTime;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // A channel that closes is what is wanted.
  private void close(ChannelHandlerContext ctx, String kind, String text) {
    LOG.at(Level.INFO, kind)
        .addKeyValue("client", ClientAddress.of(ctx.channel()))
        .addKeyValue("listener", listener)
        .log(text);
    ctx.close();
  }

  /** A client may end or break its connection whenever it wants: that is no failure of ours. */
  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // A channel that closes is what is wanted.
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof IOException) {
      ctx.close();
    } else {
      ctx.fireExceptionCaught(cause);
    }
  }
}
