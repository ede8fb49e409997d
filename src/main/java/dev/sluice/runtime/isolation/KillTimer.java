package dev.sluice.runtime.isolation;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Ends processes after a while, unless that is called off: one thread for all sessions. */
final class KillTimer {
  private static final ScheduledThreadPoolExecutor TIMER = timer();

  private KillTimer() {}

  private static ScheduledThreadPoolExecutor timer() {
    var timer =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("model processes").factory());
    timer.setRemoveOnCancelPolicy(true);
    return timer;
  }

  /** Runs an action, which is short, after a while; cancelling the result calls it off. */
  static Future<?> after(Duration delay, Runnable action) {
    return TIMER.schedule(action, delay.toNanos(), TimeUnit.NANOSECONDS);
  }
}
