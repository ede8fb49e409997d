package dev.sluice.boot;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks at something time after time, on a worker, until it is told to stop. */
final class Lookout {
  private static final Logger LOG = LoggerFactory.getLogger(Lookout.class);

  private final Threads threads;
  private volatile boolean stopped;

  Lookout(Threads threads) {
    this.threads = threads;
  }

  /**
   * Begins to look; never, if the interval is zero.
   *
   * @param what is looked at, for the log
   * @param interval from the end of a look to the next
   */
  void keepLooking(String what, Duration interval, Runnable look) {
    if (!interval.isZero()) {
      threads
          .vertx()
          .setTimer(Math.max(1, interval.toMillis()), _ -> lookAgain(what, interval, look));
    }
  }

  private void lookAgain(String what, Duration interval, Runnable look) {
    if (!stopped) {
      threads
          .load(
              () -> {
                look.run();
                return look;
              },
              true)
          .onFailure(e -> LOG.error(what + " could not be looked at", e))
          .onComplete(_ -> keepLooking(what, interval, look));
    }
  }

  /** No look begins after this. */
  void stop() {
    stopped = true;
  }
}
