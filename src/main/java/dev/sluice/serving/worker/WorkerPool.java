package dev.sluice.serving.worker;

import io.vertx.core.Vertx;
import java.util.function.LongSupplier;

/**
 * Where the workers of a version are deployed.
 *
 * @param name names their threads; two versions must not share threads
 * @param concurrency looks after what waits for long runs
 * @param nanoTime the clock of runs
 */
public record WorkerPool(
    Vertx vertx, String name, ConcurrencyMonitor concurrency, LongSupplier nanoTime) {
  /** Returns another pool of the same machine. */
  public WorkerPool named(String other) {
    return new WorkerPool(vertx, other, concurrency, nanoTime);
  }
}
