package dev.sluice.tensor;

import dev.sluice.tensor.MemoryBudget.Kind;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The part of the {@link MemoryBudget} that one client may hold, with all its requests together: a
 * connection, or all connections of an address. What arrives may take half of the budget; with what
 * is made of it, such as answers that the client does not take, three quarters. Besides, a client
 * leaves an eighth of what it holds free, so that several of them leave something to others. Any
 * thread.
 */
public final class MemoryShare {
  /** The part of what it holds that a client leaves free besides. */
  private static final int FREE_PART = 8;

  private final MemoryBudget budget;
  private final boolean whole;
  private final AtomicLong held = new AtomicLong();

  /**
   * @param whole whether the client may hold whatever is free
   */
  MemoryShare(MemoryBudget budget, boolean whole) {
    this.budget = budget;
    this.whole = whole;
  }

  /** Returns the number of bytes that its requests hold. */
  public long held() {
    return held.get();
  }

  /** Returns the number of bytes that it may hold for this. */
  long limit(Kind kind) {
    long half = budget.limit() / 2;
    return kind == Kind.BODY ? half : half + half / 2;
  }

  /** Counts bytes; false, and nothing is counted, if they are more than the client may hold. */
  boolean tryTake(Kind kind, long bytes) {
    long after = held.addAndGet(bytes);
    // What is that small is left to the budget alone.
    if (whole || after <= MemoryBudget.SMALL || isWithin(kind, bytes, after)) {
      return true;
    }
    held.addAndGet(-bytes);
    return false;
  }

  private boolean isWithin(Kind kind, long bytes, long after) {
    return after <= limit(kind) && budget.free(bytes) - bytes >= after / FREE_PART;
  }

  /**
   * Returns whether it was the client's own share that had not so many bytes: the budget has them.
   * What the client holds is not asked again, since it may have become less.
   */
  boolean lacks(long bytes) {
    return !whole && held.get() + bytes > MemoryBudget.SMALL && bytes <= budget.free(bytes);
  }

  /** Counts bytes that are there already. */
  void force(long bytes) {
    held.addAndGet(bytes);
  }

  /** Counts bytes no more. */
  void give(long bytes) {
    held.addAndGet(-bytes);
  }
}
