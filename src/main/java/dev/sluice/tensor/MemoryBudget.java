package dev.sluice.tensor;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/*
 * How the price of a small request stays small
 *
 * One counter that every thread writes would be one cache line that all of them wait for. So each thread has a
 * share: bytes that it has taken from the counter in a chunk. Small sizes are taken from the thread's own share
 * and put back into the share of whichever thread releases them; a share that grows beyond two chunks gives one
 * back. Only chunks and large sizes touch the common counter. The sum is exact: what is reserved is what all
 * shares have counted, whichever thread counted it.
 */

/**
 * The bytes that all requests of a server may hold together, on the heap and in native memory:
 * bodies as they arrive, inflated bytes, answers that are not written yet, and all tensors of the
 * process, which {@link TensorMemory} counts. Any thread.
 *
 * <p>A part of it is a reserve that only small sizes may use, so that large requests cannot keep
 * small ones and control calls out; half of the reserve is for tiny ones.
 */
public final class MemoryBudget {
  /** The use of memory. */
  public enum Kind {
    /** Bytes of bodies and messages that have arrived or were announced. */
    BODY,
    /** Bytes of bodies after their compression is undone. */
    INFLATED,
    /** Bytes of answers that the reader has not taken yet. */
    ANSWER;

    /** Returns its place in arrays with a count for each kind. */
    @SuppressWarnings("EnumOrdinal") // The arrays are made by this enum's size, and live shortly.
    int index() {
      return ordinal();
    }
  }

  /** Bytes up to which a size is small. */
  public static final long SMALL = 64 * 1024;

  /** Bytes up to which a size is tiny: control calls and most predictions of a few rows. */
  private static final long TINY = 2 * 1024;

  /** The part of the budget that large sizes leave free. */
  private static final int RESERVE_PART = 8;

  /** The part of the budget that all but tiny sizes leave free. */
  private static final int TINY_PART = 16;

  /** The part of the budget that large answers about the server leave free. */
  private static final int LAST_PART = 32;

  /** The part of the budget that a thread takes in one chunk, at most and at least. */
  private static final int CHUNK_PART = 1024;

  private static final long LARGEST_CHUNK = 64 * 1024;
  private static final long SMALLEST_CHUNK = 1024;

  private static final int KINDS = Kind.values().length;

  private final long limit;
  private final long chunk;
  private final AtomicLong taken = new AtomicLong();
  private final LongAdder refusals = new LongAdder();
  private final List<Share> shares = new CopyOnWriteArrayList<>();
  private final ThreadLocal<Share> share = ThreadLocal.withInitial(this::newShare);

  /**
   * @param limit bytes, more than 0
   */
  public MemoryBudget(long limit) {
    this.limit = limit;
    this.chunk = Math.clamp(limit / CHUNK_PART, SMALLEST_CHUNK, LARGEST_CHUNK);
  }

  private Share newShare() {
    var added = new Share();
    shares.add(added);
    return added;
  }

  /** Returns the number of bytes that may be held together. */
  public long limit() {
    return limit;
  }

  /**
   * Returns the largest body that is taken at all: it may be held twice while its pieces are
   * joined.
   */
  public long largestBody() {
    return limit / 2 - limit / RESERVE_PART / 2;
  }

  /**
   * Returns the number of bytes that requests hold, tensors apart. Exact when no thread is
   * reserving.
   */
  public long held() {
    long sum = 0;
    for (Kind kind : Kind.values()) {
      sum += held(kind);
    }
    return sum;
  }

  /** Returns the number of bytes that requests hold for this. Exact when no thread is reserving. */
  public long held(Kind kind) {
    long sum = 0;
    for (Share one : shares) {
      sum += one.counts.get(kind.index());
    }
    return sum;
  }

  /** Returns the part of the budget that requests and tensors hold, 0 to 1 or a little more. */
  public double utilization() {
    return (double) (held() + TensorMemory.openBytes()) / limit;
  }

  /** Returns the number of bytes that are left for a size of this many bytes. */
  public long free(long bytes) {
    return Math.max(0, ceiling(bytes) - taken.get() - TensorMemory.openBytes());
  }

  /** Returns how often memory was refused. */
  public long refusals() {
    return refusals.sum();
  }

  /** Returns the account of a request whose client may hold whatever is free. */
  public MemoryAccount account() {
    return account(new MemoryShare(this, true));
  }

  /** Returns a new request's account, which counts for its client's share too. */
  public MemoryAccount account(MemoryShare share) {
    return new MemoryAccount(this, share);
  }

  /** Returns the share of a new client. */
  public MemoryShare share() {
    return new MemoryShare(this, false);
  }

  /** Reserves bytes; false, and nothing is reserved, if they are not free. */
  boolean tryReserve(Kind kind, long bytes) {
    return tryReserve(kind, bytes, ceiling(bytes));
  }

  /**
   * The same with all of the reserve, whatever the size, but half of what is for tiny ones: many
   * readers of large answers who are slow leave that to the next call. The tensors of a joined run,
   * which may take more than there is for as long as it lasts, do not count as far as all else
   * holds less than an eighth.
   */
  boolean tryReserveOfAll(Kind kind, long bytes) {
    if (tryReserve(kind, bytes, bytes > TINY ? limit - limit / LAST_PART : limit)) {
      return true;
    }
    if (taken.get() + bytes > limit / RESERVE_PART) {
      return false;
    }
    force(kind, bytes);
    return true;
  }

  private boolean tryReserve(Kind kind, long bytes, long ceiling) {
    Share own = share.get();
    if (bytes <= chunk ? own.takeSmall(bytes, ceiling) : takeUpTo(ceiling, bytes)) {
      own.count(kind, bytes);
      return true;
    }
    return false;
  }

  /** Reserves bytes, free or not. */
  void force(Kind kind, long bytes) {
    Share own = share.get();
    if (bytes > chunk || !own.takeSmall(bytes, ceiling(bytes))) {
      taken.addAndGet(bytes);
    }
    own.count(kind, bytes);
  }

  /** Gives back what was reserved, on this thread or another. */
  void release(Kind kind, long bytes) {
    Share own = share.get();
    own.count(kind, -bytes);
    if (bytes <= chunk) {
      own.give(bytes);
    } else {
      taken.addAndGet(-bytes);
    }
  }

  /** Says why bytes were not reserved, and counts that. */
  MemoryExhausted refuse(long bytes) {
    refusals.increment();
    return new MemoryExhausted(bytes, free(bytes), limit);
  }

  /** Says why bytes were not reserved for a client, and counts that. */
  MemoryExhausted refuse(MemoryShare share, Kind kind, long bytes) {
    if (!share.lacks(bytes)) {
      return refuse(bytes);
    }
    refusals.increment();
    return MemoryExhausted.ofShare(bytes, share.held(), share.limit(kind));
  }

  /**
   * Requires that a stream may begin, which holds more with each step.
   *
   * @param part of the budget that it leaves to others
   * @throws MemoryExhausted if less is free
   */
  public void requireForStream(int part) {
    long free = free(Long.MAX_VALUE);
    if (free < limit / part) {
      refusals.increment();
      throw MemoryExhausted.ofStream(free, limit / part, limit);
    }
  }

  private long ceiling(long bytes) {
    if (bytes > SMALL) {
      return limit - limit / RESERVE_PART;
    }
    return bytes > TINY ? limit - limit / TINY_PART : limit;
  }

  private boolean takeUpTo(long ceiling, long bytes) {
    long most = ceiling - TensorMemory.openBytes() - bytes;
    long before = taken.get();
    while (before <= most) {
      if (taken.compareAndSet(before, before + bytes)) {
        return true;
      }
      before = taken.get();
    }
    return false;
  }

  /** The counts of one thread. Written by this thread alone. */
  private final class Share {
    private final AtomicLongArray counts = new AtomicLongArray(KINDS);
    private long available;

    boolean takeSmall(long bytes, long ceiling) {
      if (available < bytes) {
        if (!takeUpTo(ceiling, chunk)) {
          return false;
        }
        available += chunk;
      }
      available -= bytes;
      return true;
    }

    void give(long bytes) {
      available += bytes;
      if (available > 2 * chunk) {
        available -= chunk;
        taken.addAndGet(-chunk);
      }
    }

    void count(Kind kind, long bytes) {
      int index = kind.index();
      counts.setRelease(index, counts.getPlain(index) + bytes);
    }
  }
}
