package dev.sluice.scheduling.batching;

import dev.sluice.inference.InferenceException;
import dev.sluice.scheduling.BatchExecutor;
import dev.sluice.scheduling.queue.PendingRequest;
import java.util.List;
import java.util.function.LongSupplier;

/*
 * How a run that nobody waits for is stopped
 *
 * Watching.  A worker says which requests run, then runs, then says that it has ended. One object
 *            for each worker, for good: a run costs two short locks and a field in each request.
 * Looking.   Whoever cancels a request that runs, or ends its wait at its deadline, looks whether
 *            anybody is left. If nobody is, the model is interrupted.
 * The next.  The interruption holds until it is lifted, which the end of the run does under the
 *            same lock. So it can neither come too early and be lost nor hit the run after.
 */

/** Watches one worker's runs for whether anybody still wants the answer. Any thread. */
public final class RunCancellation {
  private static final List<PendingRequest> NOTHING = List.of();

  private final BatchExecutor model;
  private final LongSupplier nanoTime;
  private final Runnable look = this::look;

  /** What runs, which the worker changes only between runs. Guarded by this, as is the rest. */
  private List<PendingRequest> running = NOTHING;

  private long begunNanos;
  private boolean interrupted;

  RunCancellation(BatchExecutor model, LongSupplier nanoTime) {
    this.model = model;
    this.nanoTime = nanoTime;
  }

  /** These requests are about to run. The list stays as it is until {@link #end}. */
  synchronized void begin(List<PendingRequest> members) {
    running = members;
    for (int i = 0; i < members.size(); i++) {
      members.get(i).request().onAbandoned(look);
    }
    begunNanos = nanoTime.getAsLong();
    look();
  }

  /** The run has ended. */
  synchronized void end() {
    running = NOTHING;
    if (interrupted) {
      interrupted = false;
      model.resume();
    }
  }

  /** For how long the run under way has run; 0 if nothing runs. */
  public synchronized long runningNanos() {
    return running.isEmpty() ? 0 : Math.max(1, nanoTime.getAsLong() - begunNanos);
  }

  /** Lets the callers of the run under way wait no longer. */
  public synchronized void giveUp(InferenceException why) {
    for (int i = 0; i < running.size(); i++) {
      running.get(i).giveUp(why);
    }
  }

  /** Interrupts the run under way if nobody waits for it any more. */
  public synchronized void look() {
    if (!running.isEmpty() && !interrupted && allAreAbandoned()) {
      interrupted = true;
      model.interrupt();
    }
  }

  private boolean allAreAbandoned() {
    long now = nanoTime.getAsLong();
    for (int i = 0; i < running.size(); i++) {
      if (!running.get(i).isAbandoned(now)) {
        return false;
      }
    }
    return true;
  }
}
