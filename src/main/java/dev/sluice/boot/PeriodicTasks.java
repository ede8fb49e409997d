package dev.sluice.boot;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs periodic tasks on a worker until it is stopped.
 *
 * <p>Each task has an interval from the end of one run to the start of the next, so that a slow one
 * never overlaps itself. A failure is logged and the task goes on.
 */
final class PeriodicTasks {
  private static final Logger LOG = LoggerFactory.getLogger(PeriodicTasks.class);

  private final ServerThreads threads;
  private final List<Look> looks = new CopyOnWriteArrayList<>();
  private volatile boolean stopped;

  /** A check that runs periodically, on one thread at a time. */
  private static final class Look {
    private final String what;
    private final Runnable action;

    Look(String what, Runnable action) {
      this.what = what;
      this.action = action;
    }

    synchronized void run() {
      action.run();
    }
  }

  PeriodicTasks(ServerThreads threads) {
    this.threads = threads;
  }

  /**
   * Begins to look; if the interval is zero, only when {@link #runNow} says so.
   *
   * @param what is looked at, for the log
   * @param interval from the end of a look to the next
   */
  void schedule(String what, Duration interval, Runnable look) {
    var added = new Look(what, look);
    looks.add(added);
    later(added, interval);
  }

  private void later(Look look, Duration interval) {
    if (!interval.isZero()) {
      threads.vertx().setTimer(Math.max(1, interval.toMillis()), _ -> lookAgain(look, interval));
    }
  }

  private void lookAgain(Look look, Duration interval) {
    if (!stopped) {
      look(look).onComplete(_ -> later(look, interval));
    }
  }

  private Future<?> look(Look look) {
    return threads
        .load(
            () -> {
              look.run();
              return look;
            },
            true)
        .onFailure(e -> LOG.error(look.what + " could not be looked at", e));
  }

  /**
   * Looks at everything now, at what is never looked at again too. Any thread.
   *
   * @return what was looked at, once all is
   */
  Future<List<String>> runNow() {
    if (stopped) {
      return Future.succeededFuture(List.of());
    }
    return Future.join(looks.stream().map(this::look).toList())
        .otherwiseEmpty()
        .map(_ -> looks.stream().map(look -> look.what).toList());
  }

  /** Stops: no look begins after this. */
  void stop() {
    stopped = true;
  }
}
