package dev.sluice.scheduling.batching;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Batch delay: which of a model's workers waits for more requests, at most one, and how many rows
 * it misses.
 */
final class BatchDelay {
  private final AtomicInteger missing = new AtomicInteger();
  private volatile @Nullable Thread waiter;

  /** Returns whether a worker waits. Any thread. */
  boolean isKept() {
    return waiter != null;
  }

  /**
   * Lets the calling worker be the one that waits. Workers only, one at a time.
   *
   * @param rows after how many more it is to look again
   * @return false if another one waits
   */
  boolean keep(int rows) {
    if (waiter != null) {
      return false;
    }
    missing.set(rows);
    waiter = Thread.currentThread();
    return true;
  }

  /** Ends the batch delay of the calling worker, if there was one. */
  void end() {
    if (Thread.currentThread().equals(waiter)) {
      waiter = null;
    }
  }

  /** Counts rows that have arrived, and wakes the worker if it has all that it missed. */
  boolean arrived(int rows) {
    Thread waiting = waiter;
    if (waiting == null) {
      return false;
    }
    if (missing.addAndGet(-rows) <= 0) {
      LockSupport.unpark(waiting);
    }
    return true;
  }

  /** Wakes the worker. */
  void interrupt() {
    LockSupport.unpark(waiter);
  }
}
