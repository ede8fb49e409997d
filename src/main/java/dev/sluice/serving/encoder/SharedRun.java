package dev.sluice.serving.encoder;

import dev.sluice.runtime.ModelSession;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The groups of a request's texts, each computed once: by the worker that has the request, and by
 * idle cores beside it as soon as a group has taken longer than to wake another thread.
 *
 * <p>{@link #run} is for the worker's thread, and returns or throws when no other thread computes
 * any more.
 */
final class SharedRun {
  /** A group that is computed faster is not worth another thread. */
  private static final long WORTH_HELP_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

  /** Computes one group. On any thread, for several groups at a time. */
  @FunctionalInterface
  interface Group {
    void compute(ModelSession session, int group);
  }

  private final Group work;
  private final HelperSessions helpers;
  private final IdleCores cores;

  /** Groups that are not begun: the last of them, with the longest texts, is next. */
  private final AtomicInteger left;

  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final Semaphore ended = new Semaphore(0);
  private int started;

  SharedRun(int groups, Group work, HelperSessions helpers, IdleCores cores) {
    this.left = new AtomicInteger(groups);
    this.work = work;
    this.helpers = helpers;
    this.cores = cores;
  }

  /**
   * Computes all groups, the worker's on its own session.
   *
   * @throws RuntimeException what the first group threw that failed; groups behind it may not have
   *     been begun
   */
  void run(ModelSession session) {
    cores.enter();
    try {
      long begun = System.nanoTime();
      boolean more = computeNext(session);
      if (more && System.nanoTime() - begun >= WORTH_HELP_NANOS) {
        askForHelp();
      }
      while (more) {
        more = computeNext(session);
      }
    } finally {
      ended.acquireUninterruptibly(started);
      cores.leave();
    }
    rethrow(failure.get());
  }

  /** Computes a group; false if there was none to begin, or if one has failed. */
  private boolean computeNext(ModelSession session) {
    int group = left.decrementAndGet();
    if (group < 0 || failure.get() != null) {
      return false;
    }
    try {
      work.compute(session, group);
      return true;
    } catch (RuntimeException | Error e) {
      failure.compareAndSet(null, e);
      return false;
    }
  }

  /** As many threads as there are groups besides the one that the worker goes on with. */
  private void askForHelp() {
    int wanted = left.get() - 1;
    boolean found = true;
    while (found && started < wanted) {
      ModelSession session = helpers.take();
      found = session != null && cores.tryStart(() -> help(session));
      if (found) {
        started++;
      } else if (session != null) {
        helpers.give(session);
      }
    }
  }

  private void help(ModelSession session) {
    try {
      while (computeNext(session)) {
        // The next one, until there is none.
      }
    } finally {
      helpers.give(session);
      ended.release();
    }
  }

  private static void rethrow(@Nullable Throwable failure) {
    switch (failure) {
      case null -> {
        // All groups are computed.
      }
      case Error error -> throw error;
      case RuntimeException exception -> throw exception;
      default -> throw new IllegalStateException(failure);
    }
  }
}
