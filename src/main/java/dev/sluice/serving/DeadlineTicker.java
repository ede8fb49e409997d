package dev.sluice.serving;

import dev.sluice.scheduling.batching.RunWatch;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Looks now and then whether the runs of a model are past their deadlines. One timer for a model,
 * on an event loop, and only while something with a deadline runs. Any thread, once all runs are
 * added.
 */
final class DeadlineTicker {
  /** How late a run may be stopped. Short runs are over before. */
  private static final long TICK_MILLIS = 10;

  private final Vertx vertx;
  private final List<RunWatch> runs = new ArrayList<>();
  private final AtomicBoolean ticking = new AtomicBoolean();

  DeadlineTicker(Vertx vertx) {
    this.vertx = vertx;
  }

  void add(RunWatch run) {
    runs.add(run);
  }

  /** Something with a deadline runs. Ticks on this event loop unless it ticks already. */
  void start(Context eventLoop) {
    if (!ticking.get() && ticking.compareAndSet(false, true)) {
      eventLoop.runOnContext(_ -> tickLater(eventLoop));
    }
  }

  private void tickLater(Context eventLoop) {
    vertx.setTimer(TICK_MILLIS, _ -> tick(eventLoop));
  }

  private void tick(Context eventLoop) {
    runs.forEach(RunWatch::look);
    if (anyHasDeadline()) {
      tickLater(eventLoop);
      return;
    }
    ticking.set(false);
    // Whoever began between the look and the line above saw it tick.
    if (anyHasDeadline()) {
      start(eventLoop);
    }
  }

  private boolean anyHasDeadline() {
    for (RunWatch run : runs) {
      if (run.hasDeadline()) {
        return true;
      }
    }
    return false;
  }
}
