package dev.sluice.serving.worker;

import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.scheduling.queue.PendingRequests;
import io.vertx.core.Context;
import java.util.ArrayList;
import java.util.List;

/**
 * Completes requests on their callers' event loops, several in one wake-up: waking an event loop
 * costs more than the run of many a small model. Used by one worker.
 *
 * <p>Completion delay: completed requests may wait for others of the same event loop a little, if
 * the next run is expected to end within that time. Steps of a stream that is under way may wait
 * longer than the single answer of a call: what reads them sees no difference, while to wake an
 * event loop for each of them costs a small model a fifth of its time.
 */
final class CallerCompletions {
  private static final long MOST_NANOS = 50_000;
  private static final long MOST_OF_A_STEP_NANOS = 1_000_000;

  /**
   * The share of the last run in what is expected of the next: one that was interrupted says
   * little.
   */
  private static final int MEMORY = 8;

  private final List<Bundle> bundles = new ArrayList<>();
  private long sinceNanos;
  private long lookedNanos;
  private long expectedRunNanos;
  private boolean stepsOnly = true;

  /** One event loop's share of the answers that are ready. Kept, as event loops are few. */
  private static final class Bundle {
    private final Context callerContext;
    private PendingRequests ready = new PendingRequests();

    Bundle(Context callerContext) {
      this.callerContext = callerContext;
    }

    void send() {
      PendingRequests sent = ready;
      ready = new PendingRequests();
      callerContext.runOnContext(_ -> sent.deliverAll());
    }
  }

  /** Records that nothing waits now. */
  void begin(long nowNanos) {
    sinceNanos = nowNanos;
    lookedNanos = nowNanos;
    stepsOnly = true;
  }

  /** Takes a request whose answer is decided. */
  void add(PendingRequest completed) {
    stepsOnly &= completed.isUnderWay();
    bundle(completed.callerContext()).ready.addLast(completed);
  }

  private Bundle bundle(Context callerContext) {
    for (int i = 0; i < bundles.size(); i++) {
      if (bundles.get(i).callerContext.equals(callerContext)) {
        return bundles.get(i);
      }
    }
    var created = new Bundle(callerContext);
    bundles.add(created);
    return created;
  }

  /** Returns whether what waits is to be sent before the next run. To be asked after each run. */
  boolean isOver(long nowNanos) {
    long run = nowNanos - lookedNanos;
    lookedNanos = nowNanos;
    expectedRunNanos += expectedRunNanos == 0 ? run : (run - expectedRunNanos) / MEMORY;
    return nowNanos - sinceNanos + expectedRunNanos
        > (stepsOnly ? MOST_OF_A_STEP_NANOS : MOST_NANOS);
  }

  /** Takes out what goes to this event loop, to be delivered there. */
  PendingRequests takeOut(Context callerContext) {
    Bundle bundle = bundle(callerContext);
    PendingRequests taken = bundle.ready;
    bundle.ready = new PendingRequests();
    return taken;
  }

  /** Sends everything off: one wake-up for each event loop. */
  void send() {
    for (int i = 0; i < bundles.size(); i++) {
      if (!bundles.get(i).ready.isEmpty()) {
        bundles.get(i).send();
      }
    }
  }
}
