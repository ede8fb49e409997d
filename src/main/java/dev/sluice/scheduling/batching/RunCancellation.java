package dev.sluice.scheduling.batching;

import dev.sluice.inference.InferenceException;
import dev.sluice.scheduling.BatchExecutor;
import dev.sluice.scheduling.queue.PendingRequest;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/*
 * How a run whose requests are all abandoned is interrupted
 *
 * Begin, end. A worker publishes the requests of a run, runs them, then marks the end. One object
 *             per worker, reused: a run costs two short locks and one field in each request.
 * Check.      A thread that cancels a running request, or expires it at its deadline, checks whether
 *             any request of the run is left. If none is, the model is interrupted.
 * Reset.      The interruption holds until the end of the run resets it under the same lock. So it
 *             is neither lost by coming too early, nor does it hit the next run.
 */

/** Cancels a worker's run when all its requests are abandoned. Any thread. */
public final class RunCancellation {
  private static final List<PendingRequest> NOTHING = List.of();

  private final BatchExecutor model;
  private final LongSupplier nanoTime;
  private final Runnable look = this::look;

  /**
   * The batch in flight, which the worker changes only between runs. Guarded by this, as is the
   * rest.
   */
  private List<PendingRequest> running = NOTHING;

  private long begunNanos;
  private boolean interrupted;
  private @Nullable InferenceException ended;

  RunCancellation(BatchExecutor model, LongSupplier nanoTime) {
    this.model = model;
    this.nanoTime = nanoTime;
  }

  /** These requests are about to run. The list stays as it is until {@link #end}. */
  synchronized void begin(List<PendingRequest> members) {
    running = members;
    ended = null;
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

  /**
   * Interrupts the run under way although its callers wait for it.
   *
   * @param why for them
   * @return false if nothing runs, or was interrupted before and still runs
   */
  public synchronized boolean end(InferenceException why) {
    if (running.isEmpty() || interrupted) {
      return false;
    }
    interrupted = true;
    ended = why;
    model.interrupt();
    return true;
  }

  /**
   * Returns the reason why the last run was ended; null if it completed, or all its requests were
   * abandoned.
   */
  synchronized @Nullable InferenceException whyEnded() {
    return ended;
  }

  /** Interrupts the run under way if all its requests are abandoned. */
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
