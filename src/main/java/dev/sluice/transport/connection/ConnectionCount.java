package dev.sluice.transport.connection;

import java.net.InetAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open connections of one listener, on all event loops together. Any thread.
 *
 * <p>Three limits: all connections of a listener, those of one address, so that a single client
 * cannot take all, and the memory of all listeners' connections. A rejected connection is closed at
 * once.
 */
public final class ConnectionCount {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionCount.class);
  private static final long LOG_INTERVAL_NANOS = 1_000_000_000;

  private final String listener;
  private final int most;
  private final int mostOfPeer;
  private final ConnectionMemory memory;
  private final ConcurrentMap<InetAddress, Integer> peers = new ConcurrentHashMap<>();
  private final LongSupplier nanoTime;
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicLong refused = new AtomicLong();
  private final AtomicLong nextLine;
  private final LongAdder accepted = new LongAdder();
  private final LongAdder refusedInAll = new LongAdder();
  private final LongAdder acceptFailures = new LongAdder();

  /**
   * @param listener what logs call it
   * @param most how many may be open; 0: any number
   * @param mostOfPeer how many of one address; 0: any number
   * @param memory what those of all listeners may take
   */
  public ConnectionCount(
      String listener, int most, int mostOfPeer, ConnectionMemory memory, LongSupplier nanoTime) {
    this.listener = listener;
    this.most = most == 0 ? Integer.MAX_VALUE : most;
    this.mostOfPeer = mostOfPeer;
    this.memory = memory;
    this.nanoTime = nanoTime;
    this.nextLine = new AtomicLong(nanoTime.getAsLong());
  }

  /**
   * Counts a new connection, or refuses it, which is logged once a second at most.
   *
   * @param peer its client's address; null on a Unix domain socket
   */
  public boolean enter(@Nullable InetAddress peer) {
    if (open.incrementAndGet() > most) {
      refuse("connections are closed: {} are open (setting limits.max_connections)", most);
      return false;
    }
    if (peer != null && mostOfPeer > 0 && peers.merge(peer, 1, Integer::sum) > mostOfPeer) {
      leavePeer(peer);
      refuse(
          "connections are closed: {} of one address are open"
              + " (setting limits.max_connections_per_peer)",
          mostOfPeer);
      return false;
    }
    if (!memory.tryOpen()) {
      leavePeerOf(peer);
      refuse(
          "connections are closed: those that are open, and their streams, take {} bytes"
              + " (setting limits.connection_memory)",
          memory.held());
      return false;
    }
    accepted.increment();
    return true;
  }

  private void refuse(String text, long limit) {
    open.decrementAndGet();
    refused.incrementAndGet();
    refusedInAll.increment();
    log(text, limit);
  }

  /**
   * Records that connections wait which the system does not let the process accept: it has no file
   * descriptors left, mostly. Logged once a second at most.
   */
  public void acceptFailed(Throwable why) {
    acceptFailures.increment();
    log("connections wait that cannot be accepted: {}", why.toString());
  }

  /** Records that a connection that had entered is closed. */
  public void leave(@Nullable InetAddress peer) {
    open.decrementAndGet();
    memory.closed();
    leavePeerOf(peer);
  }

  private void leavePeerOf(@Nullable InetAddress peer) {
    if (peer != null && mostOfPeer > 0) {
      leavePeer(peer);
    }
  }

  /** Returns what open connections and streams take. */
  public ConnectionMemory memory() {
    return memory;
  }

  private void leavePeer(InetAddress peer) {
    peers.computeIfPresent(peer, (_, count) -> count == 1 ? null : count - 1);
  }

  /** Returns the listener's name in logs. */
  public String listener() {
    return listener;
  }

  /** Returns the number of open connections. */
  public int open() {
    return open.get();
  }

  /** Returns the number of connections accepted so far. */
  public long accepted() {
    return accepted.sum();
  }

  /** Returns the number of connections closed at once so far. */
  public long refused() {
    return refusedInAll.sum();
  }

  /** Returns how often connections could not be accepted so far. */
  public long acceptFailures() {
    return acceptFailures.sum();
  }

  private void log(String text, Object reason) {
    long due = nextLine.get();
    long now = nanoTime.getAsLong();
    if (now - due >= 0 && nextLine.compareAndSet(due, now + LOG_INTERVAL_NANOS)) {
      LOG.atWarn()
          .addKeyValue("listener", listener)
          .addKeyValue("refused", refused.getAndSet(0))
          .log(text, reason);
    }
  }
}
