package dev.sluice.serving.worker;

import dev.sluice.scheduling.batching.BatchRules;

/*
 * When one more worker runs the session
 *
 * One.      A model begins with one worker, and has one as long as its runs are short: what waits for a run of a
 *           few milliseconds joins the next one, and no thread is woken for it.
 * Held up.  A worker more takes what waits when all others are in runs that take long: longer than a hand-over to
 *           another thread is worth, and for a model that joins requests several times as long as its runs usually do,
 *           since they would join the next one.
 * Full.     Where runs usually are that long, it does not wait to see it. A model that joins requests has to have
 *           a full batch waiting: so more workers never make batches smaller.
 * Cores.    A core has to be free of runs of all models; but after a tenth of a second the operating system shares
 *           what there is, so that a run that hangs in one model does not hold up requests of another.
 * Leaving.  It asks again before each batch. So the last to come is the first to go, and nothing counts up or down.
 */

/**
 * Decides whether one more worker may run a session whose number of workers the settings leave
 * open. Any thread.
 */
public final class ConcurrencyPolicy {
  /** From which a run is worth another thread, and its wake-up. */
  static final long LONG_NANOS = 3_000_000;

  /** A run takes unusually long if it takes so many times as long as most. */
  static final int UNUSUAL = 3;

  /** A run that took so long is waited for no longer, even if no core is free. */
  static final long LONGEST_WAIT_NANOS = 100_000_000;

  private final BatchRules rules;
  private final MedianRunTime usual = new MedianRunTime();

  /**
   * @param rules whether requests of the model join, and how many
   */
  public ConcurrencyPolicy(BatchRules rules) {
    this.rules = rules;
  }

  /** Learns how long a run took. By the worker that ran it. */
  void learn(long nanos) {
    usual.learn(nanos);
  }

  /** How urgently another worker is needed. */
  enum Need {
    NONE,
    IF_A_CORE_IS_FREE,
    NOW
  }

  /**
   * Returns whether another worker is to take what waits.
   *
   * @param waiting requests in the queue
   * @param shortestNanos for how long all workers have been in their runs at least; 0 if one is in
   *     none
   */
  Need need(int waiting, long shortestNanos) {
    if (waiting == 0 || shortestNanos == 0) {
      return Need.NONE;
    }
    if (!holdsUp(shortestNanos) && !fillsUsualRun(waiting)) {
      return Need.NONE;
    }
    return shortestNanos < LONGEST_WAIT_NANOS ? Need.IF_A_CORE_IS_FREE : Need.NOW;
  }

  private boolean holdsUp(long nanos) {
    return nanos >= LONG_NANOS && (!rules.joins() || nanos >= UNUSUAL * usual.nanos());
  }

  private boolean fillsUsualRun(int waiting) {
    return usual.nanos() >= LONG_NANOS && (!rules.joins() || waiting >= rules.largest());
  }
}
