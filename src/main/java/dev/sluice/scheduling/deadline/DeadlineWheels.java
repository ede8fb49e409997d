package dev.sluice.scheduling.deadline;

import io.vertx.core.Context;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Ends waits when their time is up: a timing wheel for each event loop. Any thread; what is watched
 * is touched only by the event loop that it was given to.
 */
public final class DeadlineWheels {
  private final CallerContexts contexts;
  private final LongSupplier nanoTime;

  @SuppressWarnings("ThreadLocalUsage") // There are few of these, and as many event loops.
  private final ThreadLocal<@Nullable DeadlineWheel> wheels = new ThreadLocal<>();

  /**
   * @param nanoTime the clock of deadlines
   */
  public DeadlineWheels(CallerContexts contexts, LongSupplier nanoTime) {
    this.contexts = contexts;
    this.nanoTime = nanoTime;
  }

  /** Returns the context of the event loop behind a context. */
  public Context eventLoop(Context caller) {
    return contexts.eventLoop().apply(caller);
  }

  /** Watches it from now on: at once if this is its event loop. */
  public void watch(Context eventLoop, DeadlineEntry watched) {
    if (contexts.isCurrent().test(eventLoop)) {
      add(eventLoop, watched);
    } else {
      eventLoop.runOnContext(_ -> add(eventLoop, watched));
    }
  }

  private void add(Context eventLoop, DeadlineEntry watched) {
    if (!watched.over) {
      wheel(eventLoop).add(watched);
    }
  }

  /** Watches it no longer, unless it has expired. Idempotent. On its event loop. */
  public void end(Context eventLoop, DeadlineEntry watched) {
    watched.over = true;
    wheel(eventLoop).remove(watched);
  }

  private DeadlineWheel wheel(Context eventLoop) {
    DeadlineWheel wheel = wheels.get();
    if (wheel == null) {
      wheel = new DeadlineWheel(eventLoop, nanoTime);
      wheels.set(wheel);
    }
    return wheel;
  }
}
