package dev.sluice.scheduling.batching;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.inference.InferenceException;
import dev.sluice.scheduling.BatchExecutor;
import dev.sluice.scheduling.queue.PendingRequest;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
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

  /** The batch in flight, which the worker changes only between runs. */
  @GuardedBy("this")
  private List<PendingRequest> running = NOTHING;

  /** The batch whose members run one after the other, what runs among them. */
  @GuardedBy("this")
  private List<PendingRequest> oneByOne = NOTHING;

  @GuardedBy("this")
  private long begunNanos;

  /** The same for those who look often: read without the lock; 0 while nothing runs. */
  private final AtomicLong sinceNanos = new AtomicLong();

  @GuardedBy("this")
  private boolean interrupted;

  @GuardedBy("this")
  private @Nullable InferenceException ended;

  private volatile boolean abandoned;

  RunCancellation(BatchExecutor model, LongSupplier nanoTime) {
    this.model = model;
    this.nanoTime = nanoTime;
  }

  /** These requests run from now on. The list stays as it is until {@link #end}. */
  synchronized void begin(List<PendingRequest> members, long now) {
    running = members;
    ended = null;
    for (int i = 0; i < members.size(); i++) {
      members.get(i).request().onAbandoned(look);
    }
    begunNanos = now;
    sinceNanos.setRelease(now == 0 ? 1 : now);
    look(now);
  }

  /**
   * The run has ended.
   *
   * @return whether it {@link #isAbandoned}
   */
  synchronized boolean end() {
    running = NOTHING;
    sinceNanos.setRelease(0);
    if (interrupted) {
      interrupted = false;
      model.resume();
    }
    return abandoned;
  }

  /** These run one after the other from now on. The list stays as it is until the next call. */
  synchronized void oneByOne(List<PendingRequest> members) {
    oneByOne = members;
  }

  /** For how long the run under way has run; 0 if nothing runs. */
  public synchronized long runningNanos() {
    return running.isEmpty() ? 0 : Math.max(1, nanoTime.getAsLong() - begunNanos);
  }

  /** Returns for how long the run under way has run; 0 if nothing runs. Takes no lock. */
  public long runningNanos(long now) {
    long since = sinceNanos.getAcquire();
    return since == 0 ? 0 : Math.max(1, now - since);
  }

  /** Returns whether a run is under way. Takes no lock. */
  public boolean isRunning() {
    return sinceNanos.getAcquire() != 0;
  }

  /** Returns whether a run under way was left to itself: its worker is to run nothing more. */
  public boolean isAbandoned() {
    return abandoned;
  }

  /**
   * Leaves the run under way to itself: its callers wait no longer, and its result is dropped.
   *
   * @param nanos how long it has run at least; a shorter one is another run
   * @param why for its callers
   * @param meanwhile done as by the worker, which is in the run
   * @return false if there is no such run
   */
  public synchronized boolean abandon(long nanos, InferenceException why, Runnable meanwhile) {
    if (abandoned || runningNanos() < nanos) {
      return false;
    }
    abandoned = true;
    ended = why;
    meanwhile.run();
    release(why);
    return true;
  }

  /** Lets the callers of a run wait no longer that has run so long, and gives their model back. */
  public synchronized void release(long nanos, InferenceException why) {
    if (runningNanos() >= nanos) {
      release(why);
    }
  }

  @GuardedBy("this")
  private void release(InferenceException why) {
    List<PendingRequest> members = oneByOne.isEmpty() ? running : oneByOne;
    for (int i = 0; i < members.size(); i++) {
      members.get(i).abandonRun(why);
    }
  }

  /** Does something as by the worker while it is in a run; nothing if it is in none. */
  public synchronized void duringRun(Runnable action) {
    if (!running.isEmpty()) {
      action.run();
    }
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
    look(nanoTime.getAsLong());
  }

  @GuardedBy("this")
  private void look(long now) {
    if (!running.isEmpty() && !interrupted && allAreAbandoned(now)) {
      interrupted = true;
      model.interrupt();
    }
  }

  @GuardedBy("this")
  private boolean allAreAbandoned(long now) {
    for (int i = 0; i < running.size(); i++) {
      if (!running.get(i).isAbandoned(now)) {
        return false;
      }
    }
    return true;
  }
}
