package dev.sluice.boot;

import dev.sluice.inference.health.Liveness;
import dev.sluice.inference.health.OutOfMemory;
import dev.sluice.transport.connection.RateLimitedLog;
import io.vertx.core.Handler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Takes the failures that no caller is there for: those of event loops and of threads.
 *
 * <p>Any thread. A failure that says that memory has run out ends the process, since what it left
 * behind is unknown.
 */
final class UncaughtFailures implements Handler<Throwable> {
  private static final Logger LOG = LoggerFactory.getLogger(UncaughtFailures.class);

  private static final RateLimitedLog LEFT = new RateLimitedLog(LOG);

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

  /** Vert.x' own services write to streams without asking whether they are still open. */
  private static boolean isOfADisconnectedClient(Throwable failure) {
    StackTraceElement[] trace = failure.getStackTrace();
    return failure instanceof IllegalStateException
        && trace.length > 0
        && trace[0].getClassName().startsWith("io.vertx.grpc.");
  }

  @Override
  public void handle(Throwable failure) {
    liveness.note(failure);
    if (isOfADisconnectedClient(failure)) {
      LEFT.at(Level.INFO, "left").log("a call has ended early: {}", failure.getMessage());
      return;
    }
    LOG.error("a task of an event loop has failed", failure);
  }
}
