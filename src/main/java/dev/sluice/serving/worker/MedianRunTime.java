package dev.sluice.serving.worker;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Estimates the median time of a model's runs: a step up for each run that takes longer, a step
 * down for each other one. So a few runs of a second among tiny ones do not change it. A worker
 * that runs writes, any thread reads; of two workers that write at once one may be lost.
 */
final class MedianRunTime {
  /** The share of the estimate that a step is. */
  private static final int STEPS = 8;

  private static final long SHORTEST_STEP_NANOS = 50_000;

  private final AtomicLong nanos = new AtomicLong();

  void learn(long runNanos) {
    long estimate = nanos.getPlain();
    long step = Math.max(estimate / STEPS, SHORTEST_STEP_NANOS);
    nanos.setRelease(runNanos > estimate ? estimate + step : Math.max(0, estimate - step));
  }

  long nanos() {
    return nanos.getAcquire();
  }
}
