package dev.sluice.serving.encoder;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The cores that no encoder's run keeps busy, on which another run may have parts of its texts
 * computed. A run on its worker's own thread needs no permit, and counts. Any thread.
 */
final class IdleCores {
  /** Those that this process may use. */
  static final IdleCores OF_PROCESS = new IdleCores(Runtime.getRuntime().availableProcessors());

  private static final int KEPT_SECONDS = 10;

  private final int cores;
  private final AtomicInteger busy = new AtomicInteger();
  private final ThreadPoolExecutor threads;

  IdleCores(int cores) {
    this.cores = cores;
    this.threads =
        new ThreadPoolExecutor(
            0,
            cores,
            KEPT_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            Thread.ofPlatform().daemon().name("encoder helper ", 0).factory());
  }

  /** Counts a run that begins. */
  void enter() {
    busy.incrementAndGet();
  }

  /** Counts a run that has ended. */
  void leave() {
    busy.decrementAndGet();
  }

  /**
   * Runs a task on a thread of its own if a core is idle; false, and it is not run, if none is, or
   * if the system has no thread left.
   */
  boolean tryStart(Runnable task) {
    if (busy.incrementAndGet() > cores) {
      busy.decrementAndGet();
      return false;
    }
    try {
      threads.execute(() -> {
        try {
          task.run();
        } finally {
          busy.decrementAndGet();
        }
      });
      return true;
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      busy.decrementAndGet();
      return false;
    }
  }
}
