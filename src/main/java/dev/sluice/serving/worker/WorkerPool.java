package dev.sluice.serving.worker;

import dev.sluice.scheduling.deadline.CallerContexts;
import io.vertx.core.Vertx;
import java.util.function.LongSupplier;

/**
 * Where the workers of a version are deployed.
 *
 * @param contexts the event loops that requests come from
 * @param name names their threads; two versions must not share threads
 * @param concurrency looks after what waits for long runs
 * @param nanoTime the clock of runs
 */
public record WorkerPool(
    CallerContexts contexts, String name, ConcurrencyMonitor concurrency, LongSupplier nanoTime) {
  /** Returns whose workers they are. */
  public Vertx vertx() {
    return contexts.vertx();
  }

  /** Returns another pool of the same machine. */
  public WorkerPool named(String other) {
    return new WorkerPool(contexts, other, concurrency, nanoTime);
  }
}
