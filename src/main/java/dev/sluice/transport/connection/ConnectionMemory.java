package dev.sluice.transport.connection;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * The memory on the heap that open connections and HTTP/2 streams take together before they have
 * asked for anything: objects of Netty and Vert.x, which no account of a request knows. It is
 * counted in sizes that were measured and rounded up, for all listeners of a server. Any thread.
 *
 * <p>A connection with its first stream may use all of it. Further streams leave an eighth of it to
 * other connections, and as much as their own connection has already, so that some greedy
 * connections leave something to the next.
 */
public final class ConnectionMemory {
  /** Bytes of a connection: 4 to 8 KiB by HTTP/1.1, 8 to 9 by HTTP/2. */
  private static final long CONNECTION = 8 * 1024;

  /** Bytes of a stream whose call has begun: Vert.x makes a queue of 4 KiB for each. */
  private static final long STREAM = 8 * 1024;

  private static final int RESERVE_PART = 8;

  private final long limit;
  private final AtomicLong held = new AtomicLong();
  private final LongAdder refusedStreams = new LongAdder();

  /**
   * @param limit bytes
   */
  public ConnectionMemory(long limit) {
    this.limit = limit;
  }

  /** Returns the number of bytes that connections and streams may take. */
  public long limit() {
    return limit;
  }

  /** Returns the number of bytes that they have taken. */
  public long held() {
    return held.get();
  }

  /** Returns how many streams were refused. */
  public long refusedStreams() {
    return refusedStreams.sum();
  }

  /** Takes what a connection needs; false, and nothing is taken, if it is not free. */
  boolean tryOpen() {
    return tryTake(CONNECTION, limit);
  }

  /** Gives back what {@link #tryOpen} took. */
  void closed() {
    held.addAndGet(-CONNECTION);
  }

  /**
   * Takes what streams need; false, and nothing is taken, if it is not free.
   *
   * @param more streams
   * @param before streams for which their connection has taken memory already
   */
  public boolean tryTakeStreams(int more, int before) {
    long left = before == 0 ? 0 : Math.max(limit / RESERVE_PART, before * STREAM);
    return tryTake(more * STREAM, limit - left);
  }

  /** Counts a stream that is refused, and returns why. */
  public String refuseStream() {
    refusedStreams.increment();
    return "a stream is refused: %d of %d bytes for connections and streams are taken (setting limits.connection_memory)"
        .formatted(held.get(), limit);
  }

  /** Gives back what {@link #tryTakeStreams} took. */
  public void giveStreams(int count) {
    held.addAndGet(-count * STREAM);
  }

  private boolean tryTake(long bytes, long ceiling) {
    if (held.addAndGet(bytes) <= ceiling) {
      return true;
    }
    held.addAndGet(-bytes);
    return false;
  }
}
