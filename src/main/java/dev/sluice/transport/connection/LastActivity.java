package dev.sluice.transport.connection;

import java.util.concurrent.TimeUnit;

/**
 * The time since a client last did something on its connection, by which a listener that drains
 * decides whether to close it. A client that has connected, sent a request or got an answer
 * recently may be about to ask; on a busy machine that takes it much longer than a round trip. On
 * the connection's event loop.
 */
public final class LastActivity {
  /** Interval at which a connection that is to be closed is polled. */
  public static final long POLL_MILLIS = 50;

  private static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private long at = System.nanoTime();
  private boolean polled;

  /** Records that something has happened. */
  public void touch() {
    at = System.nanoTime();
    polled = false;
  }

  /** Returns whether anything has happened within the last second. */
  public boolean isRecent() {
    return System.nanoTime() - at < RECENT_NANOS;
  }

  /**
   * Looks whether nothing has happened for a while. It takes two looks: an event loop that was kept
   * from running finds out what is over before it reads what has arrived meanwhile.
   */
  public boolean isOver() {
    if (isRecent()) {
      return false;
    }
    boolean again = polled;
    polled = true;
    return again;
  }
}
