package dev.sluice.tensor;

import dev.sluice.tensor.MemoryBudget.Kind;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The share of the {@link MemoryBudget} that one request holds. Work that runs within {@link
 * #within} charges large arrays and tensors to it wherever they are made.
 *
 * <p>Owner: the request, which closes it when its answer is written or not wanted any more, and no
 * thread works for it. Charged and released on any thread; closed while no other thread charges.
 */
public final class MemoryAccount implements AutoCloseable {
  /** Bytes from which arrays and tensors are checked one by one. */
  static final long CHECKED = 16 * 1024;

  private static final ThreadLocal<@Nullable MemoryAccount> CURRENT = new ThreadLocal<>();
  private static final Kind[] KINDS = Kind.values();

  private final MemoryBudget budget;
  private final MemoryShare share;
  private final AtomicLongArray held = new AtomicLongArray(KINDS.length);

  /** Bytes that only the share counts: of tensors, which are in the budget by themselves. */
  private final AtomicLong tensors = new AtomicLong();

  private boolean closed;

  MemoryAccount(MemoryBudget budget, MemoryShare share) {
    this.budget = budget;
    this.share = share;
  }

  /** Returns the budget that all requests share. */
  public MemoryBudget budget() {
    return budget;
  }

  /** Returns the share of the request's client. */
  public MemoryShare share() {
    return share;
  }

  /** Returns the number of bytes that are held for this. */
  public long held(Kind kind) {
    return held.get(kind.index());
  }

  /** Charges bytes; false, and nothing is charged, if they are not free. */
  public boolean tryCharge(Kind kind, long bytes) {
    if (closed || bytes <= 0) {
      return true;
    }
    if (!share.tryTake(kind, bytes)) {
      return false;
    }
    if (!budget.tryReserve(kind, bytes)) {
      share.give(bytes);
      return false;
    }
    held.addAndGet(kind.index(), bytes);
    return true;
  }

  /**
   * Charges bytes of a call that watches or controls the server: it may use all of the reserve,
   * whatever its size and its client's share.
   */
  public boolean tryChargeReserve(Kind kind, long bytes) {
    if (closed || bytes <= 0) {
      return true;
    }
    if (!budget.tryReserveOfAll(kind, bytes)) {
      return false;
    }
    share.force(bytes);
    held.addAndGet(kind.index(), bytes);
    return true;
  }

  /**
   * Charges bytes.
   *
   * @throws MemoryExhausted if they are not free; nothing is charged then
   */
  public void charge(Kind kind, long bytes) {
    if (!tryCharge(kind, bytes)) {
      throw budget.refuse(share, kind, bytes);
    }
  }

  /** Charges bytes that are there already, whether they are free or not. */
  public void force(Kind kind, long bytes) {
    if (!closed && bytes > 0) {
      share.force(bytes);
      budget.force(kind, bytes);
      held.addAndGet(kind.index(), bytes);
    }
  }

  /** Charges bytes for which the budget alone is asked: they are given back soon. */
  private void chargeShortly(Kind kind, long bytes) {
    if (!closed) {
      if (!budget.tryReserve(kind, bytes)) {
        throw budget.refuse(bytes);
      }
      share.force(bytes);
      held.addAndGet(kind.index(), bytes);
    }
  }

  /** Gives back bytes that were charged; never more than are held. */
  public void release(Kind kind, long bytes) {
    if (bytes > 0) {
      long before = held.getAndUpdate(kind.index(), now -> now - Math.min(now, bytes));
      give(kind, Math.min(before, bytes));
    }
  }

  /** Gives back all that is held for this. */
  public void releaseAll(Kind kind) {
    give(kind, held.getAndSet(kind.index(), 0));
  }

  private void give(Kind kind, long given) {
    if (given > 0) {
      budget.release(kind, given);
      share.give(given);
    }
  }

  /**
   * Gives back all that is held for this, since it lies in native memory that counts by itself. The
   * client goes on holding it.
   */
  public void moveToTensor(Kind kind) {
    long moved = held.getAndSet(kind.index(), 0);
    if (moved > 0) {
      budget.release(kind, moved);
      tensors.addAndGet(moved);
    }
  }

  /** Records that the client holds no tensors any more. */
  public void releaseTensors() {
    long given = tensors.getAndSet(0);
    if (given > 0) {
      share.give(given);
    }
  }

  /** Returns the failure of a charge that did not succeed. Counts as a refusal. */
  public MemoryExhausted refusal(Kind kind, long bytes) {
    return budget.refuse(share, kind, bytes);
  }

  /** Runs work whose large arrays and tensors are charged here. */
  public <T> T within(Supplier<T> work) {
    MemoryAccount outer = CURRENT.get();
    CURRENT.set(this);
    try {
      return work.get();
    } finally {
      CURRENT.set(outer);
    }
  }

  /**
   * Charges bytes to the account within which this thread works, if there is one.
   *
   * @throws MemoryExhausted if they are not free
   */
  public static void chargeCurrent(Kind kind, long bytes) {
    if (bytes >= CHECKED) {
      MemoryAccount account = CURRENT.get();
      if (account != null && kind == Kind.BODY) {
        // The pieces of a body that is let in, while they are joined.
        account.chargeShortly(kind, bytes);
      } else if (account != null) {
        account.charge(kind, bytes);
      }
    }
  }

  /** Gives back what {@link #chargeCurrent} has charged. */
  public static void releaseCurrent(Kind kind, long bytes) {
    if (bytes >= CHECKED) {
      MemoryAccount account = CURRENT.get();
      if (account != null) {
        account.release(kind, bytes);
      }
    }
  }

  /**
   * Refuses a tensor for which there is no memory, if this thread works for a request, whose client
   * holds it from now on until the request ends.
   */
  static void requireFree(long bytes) {
    if (bytes >= CHECKED) {
      MemoryAccount account = CURRENT.get();
      if (account != null) {
        account.holdTensor(bytes);
      }
    }
  }

  private void holdTensor(long bytes) {
    if (bytes > budget.free(bytes)) {
      throw budget.refuse(bytes);
    }
    if (!closed) {
      if (!share.tryTake(Kind.INFLATED, bytes)) {
        throw budget.refuse(share, Kind.INFLATED, bytes);
      }
      tensors.addAndGet(bytes);
    }
  }

  /** Counts again after {@link #close}. */
  public void reopen() {
    closed = false;
  }

  /**
   * Releases everything; what is charged later is not counted. Idempotent: closing again does
   * nothing.
   */
  @Override
  public void close() {
    closed = true;
    for (Kind kind : KINDS) {
      if (held(kind) > 0) {
        releaseAll(kind);
      }
    }
    if (tensors.get() > 0) {
      releaseTensors();
    }
  }
}
