package dev.sluice.transport.netty.grpc;

import dev.sluice.transport.MessageTurns;
import dev.sluice.transport.connection.RateLimitedLog;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.internal.http.HttpServerRequestInternal;
import io.vertx.core.internal.http.HttpServerRequestWrapper;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * A request for the library's own services. The library takes every message at once, whether the
 * client reads its answers, sends more than one where one is wanted, or has left; and it throws
 * what is wrong with a client's bytes at the code that delivers them. So it is given a few bytes at
 * a time, in {@link MessageTurns}, as long as the client takes answers; and a stream with bytes
 * that cannot be read is reset.
 */
public final class LenientGrpcRequest extends HttpServerRequestWrapper {
  private static final RateLimitedLog LOG =
      new RateLimitedLog(LoggerFactory.getLogger(LenientGrpcRequest.class));

  /** The error code that a client gets: PROTOCOL_ERROR of HTTP/2. */
  private static final long PROTOCOL_ERROR = 1;

  /** Bytes that are given at a time: about one of the shortest messages. */
  private static final int PART = 8;

  /** Bytes of one call: names of services, files and symbols, some hundred of them. */
  private static final int MOST_BYTES = 64 * 1024;

  /** Interval at which a client is looked at that does not read. */
  private static final long POLL_MILLIS = 20;

  private final Vertx vertx;
  private final MessageTurns turns;
  private final Deque<Buffer> arrived = new ArrayDeque<>();
  private @Nullable Handler<Buffer> handler;
  private @Nullable Handler<Void> endHandler;
  private int bytes;
  private boolean waiting;
  private boolean ended;

  /**
   * @param turns those of the event loop
   */
  public LenientGrpcRequest(HttpServerRequest request, Vertx vertx, MessageTurns turns) {
    super((HttpServerRequestInternal) request);
    this.vertx = vertx;
    this.turns = turns;
  }

  @Override
  public HttpServerRequest handler(@Nullable Handler<Buffer> given) {
    handler = given;
    super.handler(given == null ? null : this::arrived);
    return this;
  }

  @Override
  public HttpServerRequest endHandler(@Nullable Handler<Void> given) {
    endHandler = given;
    super.endHandler(given == null ? null : _ -> ended());
    return this;
  }

  private void arrived(Buffer piece) {
    if (isOver()) {
      return;
    }
    bytes += piece.length();
    if (bytes > MOST_BYTES) {
      reset("its messages have more than " + MOST_BYTES + " bytes");
      return;
    }
    arrived.add(piece);
    giveNext();
  }

  private void ended() {
    ended = true;
    giveNext();
  }

  private void giveNext() {
    while (!waiting && !isOver()) {
      Buffer piece = arrived.peek();
      if (piece == null) {
        giveEnd();
        return;
      }
      if (response().writeQueueFull()) {
        await();
        var _ = vertx.setTimer(POLL_MILLIS, _ -> goOn());
      } else if (!turns.tryTake()) {
        await();
        turns.await(this::goOn);
      } else {
        give(piece);
      }
    }
  }

  private boolean isOver() {
    return response().ended() || response().closed();
  }

  private void await() {
    waiting = true;
    if (!ended) {
      pause();
    }
  }

  private void goOn() {
    waiting = false;
    giveNext();
    if (!waiting && !ended) {
      resume();
    }
  }

  private void give(Buffer piece) {
    arrived.remove();
    int part = Math.min(PART, piece.length());
    if (part < piece.length()) {
      arrived.addFirst(piece.slice(part, piece.length()));
    }
    Handler<Buffer> to = handler;
    if (to != null && part > 0) {
      take(() -> to.handle(piece.slice(0, part)));
    }
  }

  private void giveEnd() {
    Handler<Void> to = endHandler;
    if (ended && to != null) {
      endHandler = null;
      take(() -> to.handle(null));
    }
  }

  private void take(Runnable step) {
    try {
      step.run();
    } catch (IllegalArgumentException
        | IllegalStateException
        | IndexOutOfBoundsException
        // For a message that says it is compressed in a call that says not how.
        | UnsupportedOperationException e) {
      reset(e.getMessage());
    }
  }

  private void reset(@Nullable String why) {
    arrived.clear();
    LOG.at(Level.INFO, "standard service")
        .addKeyValue("client", remoteAddress())
        .addKeyValue("path", path())
        .log("a call is reset: {}", why);
    var _ = response().reset(PROTOCOL_ERROR);
  }
}
