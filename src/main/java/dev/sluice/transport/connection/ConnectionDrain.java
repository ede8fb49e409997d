package dev.sluice.transport.connection;

import io.netty.channel.Channel;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The graceful shutdown of one listener's connections, on all event loops together.
 *
 * <p>From {@link #begin} on, clients learn that their connections end, by what their protocol has
 * for it, and new connections are still accepted. When the listener closes, connections end as soon
 * as nothing is under way on them, and at {@link #end} whatever is. Any thread.
 */
public final class ConnectionDrain {
  /** The drain steps that the handlers of each connection get as a user event. */
  public enum Step {
    BEGIN,
    END
  }

  private final Duration timeout;
  private final Set<Channel> open = ConcurrentHashMap.newKeySet();
  private volatile boolean begun;

  /**
   * @param timeout how long requests under way may take when the listener closes
   */
  public ConnectionDrain(Duration timeout) {
    this.timeout = timeout;
  }

  /** Returns the time after which connections end whatever goes on. */
  public Duration timeout() {
    return timeout;
  }

  /** Records that a connection was accepted. On its event loop. */
  public void add(Channel connection) {
    open.add(connection);
    connection.closeFuture().addListener(_ -> open.remove(connection));
  }

  /** Returns whether clients are to learn that their connections end. */
  public boolean begun() {
    return begun;
  }

  /** Begins to drain: clients are notified from now on that their connections end. Idempotent. */
  public void begin() {
    if (!begun) {
      begun = true;
      send(Step.BEGIN);
    }
  }

  /** Ends all connections, whatever is in flight on them. Idempotent. */
  public void end() {
    send(Step.END);
  }

  private void send(Step step) {
    for (Channel connection : open) {
      connection.eventLoop().execute(() -> connection.pipeline().fireUserEventTriggered(step));
    }
  }
}
