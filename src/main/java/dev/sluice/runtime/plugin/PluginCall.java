package dev.sluice.runtime.plugin;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import java.time.Duration;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * How a call ends
 *
 * Once.      A call is over when its code has ended or when it was given up, whichever comes first,
 *            under one lock. Only then its caller hears of it, and only once.
 * Given up.  By its caller who leaves, by the caller's deadline, by the time limit, or as the server stops. The thread is
 *            interrupted while it is in the code, and never afterwards: it takes the flag off under
 *            the same lock. What the code gives later is thrown away.
 * Pauses.    While the code waits for a reader, the time limit does not run.
 */

/**
 * One call of a plugin, with its time limit.
 *
 * @param <T> what the code gives
 */
public abstract class PluginCall<T> implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(PluginCall.class);

  private final PluginThreads threads;
  private final PluginCode code;
  private final Duration limit;

  @GuardedBy("this")
  private boolean over;

  @GuardedBy("this")
  private boolean stuck;

  @GuardedBy("this")
  private @Nullable Thread thread;

  @GuardedBy("this")
  private @Nullable Future<?> untilDeadline;

  @GuardedBy("this")
  private @Nullable Future<?> untilLimit;

  /**
   * @param limit how long the code may take; zero: for as long as it likes
   */
  protected PluginCall(PluginThreads threads, PluginCode code, Duration limit) {
    this.threads = threads;
    this.code = code;
    this.limit = limit;
  }

  /** Takes what the code needs from the request, which may be closed afterwards. */
  protected abstract void prepare();

  /** Runs the code. */
  protected abstract T call() throws Exception;

  /** Records the result of the plugin. On its thread. This or {@link #failed}, once. */
  protected abstract void succeeded(T result);

  /** Records that there will be no result. Any thread. */
  protected abstract void failed(InferenceException why);

  /** Discards a result that came too late: frees it. */
  protected void discard(T result) {
    // Most results have nothing to free.
  }

  /**
   * Begins the call.
   *
   * @param deadline until when its caller waits, with the clock of {@link System#nanoTime}
   */
  public final void start(Deadline deadline) {
    if (deadline.exists()) {
      long left = Math.max(0, deadline.nanos() - System.nanoTime());
      untilDeadline(threads.later(this::tooLateForCaller, left));
    }
    threads.begun(this);
    try {
      threads.start(this);
    } catch (InferenceException e) {
      giveUp(e);
    }
  }

  private synchronized void untilDeadline(Future<?> timer) {
    untilDeadline = timer;
  }

  private void tooLateForCaller() {
    giveUp(new InferenceException(ErrorCode.DEADLINE_EXCEEDED, "Request timeout expired"));
  }

  private void tooLong() {
    giveUp(
        new InferenceException(
            ErrorCode.DEADLINE_EXCEEDED,
            "the model's code took longer than %d ms (setting java.timeout)"
                .formatted(limit.toMillis())));
  }

  /** Cancels the call. Any thread; idempotent. */
  public final void giveUp(InferenceException why) {
    synchronized (this) {
      if (over) {
        return;
      }
      end();
      if (thread != null) {
        stuck = true;
        threads.stuck();
        thread.interrupt();
      }
    }
    failed(why);
  }

  /** Returns whether the call was cancelled, or the code has ended. */
  public final synchronized boolean isOver() {
    return over;
  }

  @GuardedBy("this")
  private void end() {
    over = true;
    threads.ended(this);
    cancel(untilDeadline);
    cancel(untilLimit);
  }

  private static void cancel(@Nullable Future<?> timer) {
    if (timer != null) {
      timer.cancel(false);
    }
  }

  /** Runs the call on this thread, which is one of its threads, instead of {@link #start}. */
  protected final void runHere() {
    threads.begun(this);
    run();
  }

  @Override
  public final void run() {
    try {
      if (!begin()) {
        return;
      }
    } catch (RuntimeException | Error e) {
      fail(e);
      return;
    }
    @Nullable T result = null;
    @Nullable Throwable thrown = null;
    try {
      result = code.inside(this::call);
    } catch (Throwable e) {
      thrown = e;
    }
    conclude(result, thrown);
  }

  private synchronized boolean begin() {
    if (over) {
      return false;
    }
    prepare();
    thread = Thread.currentThread();
    resume();
    return true;
  }

  /** Stops the clock: the code waits for another call. */
  protected final synchronized void pause() {
    cancel(untilLimit);
    untilLimit = null;
  }

  /** Starts the clock anew. */
  protected final synchronized void resume() {
    // Several threads of the code may have waited at once.
    cancel(untilLimit);
    if (!limit.isZero() && !over) {
      untilLimit = threads.later(this::tooLong, limit.toNanos());
    }
  }

  private void conclude(@Nullable T result, @Nullable Throwable thrown) {
    boolean inTime = leave();
    if (thrown != null) {
      if (inTime) {
        failed(explain(thrown));
      }
    } else if (result != null) {
      if (inTime) {
        succeeded(result);
      } else {
        discard(result);
      }
    } else if (inTime) {
      failed(new InferenceException(ErrorCode.INTERNAL, "the model's code returned null"));
    }
  }

  /** Records that the thread has left the plugin. False if the call was given up meanwhile. */
  private synchronized boolean leave() {
    thread = null;
    // An interruption for this call, or one that the code made, is not for the next one.
    Thread.interrupted();
    if (stuck) {
      threads.unstuck();
    }
    boolean inTime = !over;
    if (inTime) {
      end();
    }
    return inTime;
  }

  private void fail(Throwable thrown) {
    if (leave()) {
      failed(explain(thrown));
    }
  }

  private InferenceException explain(Throwable thrown) {
    InferenceException reported = PluginFailure.of(thrown);
    if (reported.code() == ErrorCode.INTERNAL) {
      LOG.atError().addKeyValue("model", threads.model()).setCause(thrown).log("plugin failed");
    }
    return reported;
  }
}
