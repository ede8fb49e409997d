package dev.sluice.scheduling.queue;

/**
 * A stream that keeps caches from step to step, for which it may have to reserve memory before it
 * begins.
 */
public interface CacheHolder extends Recipient {
  /** Returns the most bytes that it may keep; 0 if they are not counted. */
  long cacheBytes();

  /** Returns when it began to wait for its first step, in nanoseconds. */
  long sinceNanos();

  /**
   * Has it give its memory back as soon as it can, and wait for it again. Any thread, one that
   * holds the queue: it does no more than announce it.
   */
  void preempt();
}
