package dev.sluice.boot;

import dev.sluice.inference.Liveness;
import dev.sluice.inference.OutOfMemory;
import io.vertx.core.Handler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes the failures that no caller is there for: those of event loops and of threads. */
final class UncaughtFailures implements Handler<Throwable> {
  private static final Logger LOG = LoggerFactory.getLogger(UncaughtFailures.class);

  private final Liveness liveness;

  /**
   * @param liveness fails when a failure is an {@link Error}
   */
  UncaughtFailures(Liveness liveness) {
    this.liveness = liveness;
  }

  /** Ends the process when memory runs out in any thread that does not look after itself. */
  static void endWhenOutOfMemory() {
    Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> {
      OutOfMemory.endProcessIf(failure);
      LOG.error("the thread {} has failed", thread.getName(), failure);
    });
  }

  @Override
  public void handle(Throwable failure) {
    liveness.note(failure);
    LOG.error("a task of an event loop has failed", failure);
  }
}
