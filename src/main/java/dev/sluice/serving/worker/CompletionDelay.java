package dev.sluice.serving.worker;

import dev.sluice.scheduling.queue.PendingRequest;

/**
 * Completion delay: how long completed requests may wait for others of the same event loop: a
 * little, if the next run is expected to end within that time. Steps of a stream that is under way
 * may wait longer than the single answer of a call: what reads them sees no difference, while to
 * wake an event loop for each of them costs a small model a fifth of its time. Used by one worker.
 */
final class CompletionDelay {
  private static final long MOST_NANOS = 50_000;
  private static final long MOST_OF_A_STEP_NANOS = 1_000_000;

  /**
   * The share of the last run in what is expected of the next: one that was interrupted says
   * little.
   */
  private static final int MEMORY = 8;

  private long sinceNanos;
  private long lookedNanos;
  private long expectedRunNanos;
  private boolean stepsOnly = true;

  /** Records that nothing waits now. */
  void begin(long nowNanos) {
    sinceNanos = nowNanos;
    lookedNanos = nowNanos;
    stepsOnly = true;
  }

  /** Records that an answer waits. */
  void add(PendingRequest completed) {
    stepsOnly &= completed.isUnderWay();
  }

  /** Returns whether what waits is to be sent before the next run. To be asked after each run. */
  boolean isOver(long nowNanos) {
    long run = nowNanos - lookedNanos;
    lookedNanos = nowNanos;
    expectedRunNanos += expectedRunNanos == 0 ? run : (run - expectedRunNanos) / MEMORY;
    return nowNanos - sinceNanos + expectedRunNanos
        > (stepsOnly ? MOST_OF_A_STEP_NANOS : MOST_NANOS);
  }
}
