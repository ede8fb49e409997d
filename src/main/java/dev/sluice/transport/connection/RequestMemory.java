package dev.sluice.transport.connection;

import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.MemoryAccount;
import dev.sluice.tensor.MemoryBudget;
import dev.sluice.tensor.MemoryExhausted;
import dev.sluice.tensor.MemoryShare;
import io.netty.channel.Channel;
import io.netty.util.Attribute;
import io.netty.util.AttributeKey;
import io.vertx.core.Vertx;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory budget as transports use it: a body for which there is no memory waits for a moment,
 * in which nothing is read of it, and is refused then. Shared by all listeners of a server. Any
 * thread.
 */
public final class RequestMemory {
  /** Longest wait of a body for memory. */
  static final long LONGEST_WAIT_NANOS = 1_000_000_000;

  private static final Logger LOG = LoggerFactory.getLogger(RequestMemory.class);

  /** Interval at which waiting bodies poll for memory. */
  private static final long POLL_MILLIS = 10;

  /** Bodies that wait at once; one more is refused without waiting. */
  private static final int MOST_WAITING = 64;

  /** Of these, bodies of one client. */
  private static final int MOST_OF_CLIENT = 16;

  private static final AttributeKey<MemoryShare> SHARE =
      AttributeKey.valueOf(RequestMemory.class, "share");

  /** Bytes of a message that is taken whatever the budget says. */
  private static final long ALWAYS_READ = 256;

  private static final long LOG_INTERVAL_NANOS = 1_000_000_000;
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final MemoryBudget budget;
  private final boolean perPeer;
  private final ConcurrentMap<InetAddress, Peer> peers = new ConcurrentHashMap<>();
  private final LongSupplier nanoTime;
  private final Queue<Wait> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicInteger count = new AtomicInteger();
  private final AtomicLong nextLine;
  private final AtomicLong unlogged = new AtomicLong();

  /**
   * @param perPeer whether all connections of an address have one share together
   */
  public RequestMemory(MemoryBudget budget, boolean perPeer, LongSupplier nanoTime) {
    this.budget = budget;
    this.perPeer = perPeer;
    this.nanoTime = nanoTime;
    this.nextLine = new AtomicLong(nanoTime.getAsLong());
  }

  /**
   * Reserves bytes of a message; false if there is no memory for them. A message as small as those
   * of health checks is always taken, so that load cannot keep probes out: it costs less than its
   * stream.
   *
   * @param size of the whole message, as far as it is known
   * @param more bytes to reserve now
   */
  public static boolean tryHold(MemoryAccount account, long size, long more) {
    if (size <= ALWAYS_READ) {
      account.force(MemoryBudget.Kind.BODY, more);
      return true;
    }
    return account.tryCharge(MemoryBudget.Kind.BODY, more);
  }

  /** Returns a new account of a request of this connection. On its event loop. */
  public MemoryAccount account(Channel connection) {
    return budget.account(share(connection));
  }

  private MemoryShare share(Channel connection) {
    Attribute<MemoryShare> share = connection.attr(SHARE);
    MemoryShare known = share.get();
    if (known == null) {
      known = newShare(connection);
      share.set(known);
    }
    return known;
  }

  private MemoryShare newShare(Channel connection) {
    if (perPeer && connection.remoteAddress() instanceof InetSocketAddress client) {
      InetAddress address = client.getAddress();
      connection.closeFuture().addListener(_ -> leave(address));
      return peers.compute(address, (_, peer) -> Peer.one(peer, budget)).share;
    }
    return budget.share();
  }

  private void leave(InetAddress address) {
    peers.computeIfPresent(address, (_, peer) -> peer.fewer());
  }

  /** The connections of an address that have had a request. */
  private record Peer(MemoryShare share, int connections) {
    static Peer one(@Nullable Peer others, MemoryBudget budget) {
      return others == null
          ? new Peer(budget.share(), 1)
          : new Peer(others.share, others.connections + 1);
    }

    @Nullable Peer fewer() {
      return connections == 1 ? null : new Peer(share, connections - 1);
    }
  }

  /** Makes the error for a rejection, which is logged once a second at most. */
  public InferenceException busy(MemoryExhausted why) {
    unlogged.incrementAndGet();
    long due = nextLine.get();
    long now = nanoTime.getAsLong();
    if (now - due >= 0 && nextLine.compareAndSet(due, now + LOG_INTERVAL_NANOS)) {
      LOG.atWarn()
          .addKeyValue("refused", unlogged.getAndSet(0))
          .log("requests are rejected: {}", why.getMessage());
    }
    return InferenceException.busy(String.valueOf(why.getMessage()), RETRY_AFTER);
  }

  /**
   * Tries until it succeeds, whenever the turn of this wait has come among those of its client.
   *
   * @param share the client's
   * @param attempt reserves memory, or returns false; on the event loop that calls this
   * @param over called on the same event loop with whether an attempt succeeded; not after {@link
   *     Wait#cancel}
   */
  public Wait await(
      MemoryShare share, Vertx vertx, BooleanSupplier attempt, Consumer<Boolean> over) {
    var wait = new Wait(share, vertx, attempt, over);
    wait.begin();
    return wait;
  }

  /** One body that waits for memory. Of its event loop. */
  public final class Wait {
    private final MemoryShare share;
    private final Vertx vertx;
    private final BooleanSupplier attempt;
    private final Consumer<Boolean> over;
    private final long end;
    private long timer;
    private boolean ended;

    private Wait(MemoryShare share, Vertx vertx, BooleanSupplier attempt, Consumer<Boolean> over) {
      this.share = share;
      this.vertx = vertx;
      this.attempt = attempt;
      this.over = over;
      this.end = nanoTime.getAsLong() + LONGEST_WAIT_NANOS;
    }

    private void begin() {
      if (count.incrementAndGet() > MOST_WAITING || ofClient().count() >= MOST_OF_CLIENT) {
        count.decrementAndGet();
        ended = true;
        over.accept(false);
        return;
      }
      waiting.add(this);
      timer = vertx.setPeriodic(POLL_MILLIS, _ -> look());
    }

    private void look() {
      boolean succeeded = isFirst() && attempt.getAsBoolean();
      if (succeeded || nanoTime.getAsLong() - end >= 0) {
        cancel();
        over.accept(succeeded);
      }
    }

    @SuppressWarnings("ReferenceEquality") // Whether it is the same wait, not one like it.
    private boolean isFirst() {
      return ofClient().findFirst().orElse(this) == this;
    }

    @SuppressWarnings("ReferenceEquality") // A share is its client's.
    private Stream<Wait> ofClient() {
      return waiting.stream().filter(other -> other.share == share);
    }

    /** Gives up. Does nothing if the wait is over. */
    public void cancel() {
      if (!ended) {
        ended = true;
        vertx.cancelTimer(timer);
        waiting.remove(this);
        count.decrementAndGet();
      }
    }
  }
}
