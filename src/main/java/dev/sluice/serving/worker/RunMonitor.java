package dev.sluice.serving.worker;

import dev.sluice.scheduling.breaker.CircuitBreaker;
import dev.sluice.telemetry.meter.RunCondition;
import io.vertx.core.Vertx;
import java.time.Duration;

/**
 * Looks at the runs of a model now and then: logs those that take long, ends those that hang where
 * that is possible, replaces the workers of those that do not end, and opens the breaker if the
 * model hangs otherwise. Checks on a timer; its results are for any thread.
 */
public final class RunMonitor implements RunCondition {
  private static final long LONGEST_PERIOD_MILLIS = 5_000;
  private static final long SHORTEST_PERIOD_MILLIS = 20;
  private static final int LOOKS = 4;
  private static final long NO_SESSION = Long.MAX_VALUE;

  private final ModelWorkers workers;
  private final CircuitBreaker breaker;
  private final SlowRunLog log;
  private final Runnable hangs;

  /**
   * @param hangs refuses what waits for a model that hangs
   */
  public RunMonitor(ModelWorkers workers, CircuitBreaker breaker, SlowRunLog log, Runnable hangs) {
    this.workers = workers;
    this.breaker = breaker;
    this.log = log;
    this.hangs = hangs;
  }

  /**
   * Looks from now on, several times while a run comes to be one that hangs.
   *
   * @return the timer, to be cancelled
   */
  public long start(Vertx vertx, Duration hang) {
    long period =
        hang.isZero()
            ? LONGEST_PERIOD_MILLIS
            : Math.clamp(hang.toMillis() / LOOKS, SHORTEST_PERIOD_MILLIS, LONGEST_PERIOD_MILLIS);
    return vertx.setPeriodic(period, _ -> look());
  }

  void look() {
    log.look();
    long shortest = Long.MAX_VALUE;
    for (ModelWorkerVerticle worker : workers.all()) {
      shortest = Math.min(shortest, lookAt(worker));
    }
    boolean canRun = shortest == NO_SESSION || workers.further().mayGrow();
    if (breaker.look(canRun ? 0 : shortest)) {
      hangs.run();
    }
    workers.endIdle();
  }

  /**
   * For how long a worker's run has run; 0 if it has none, or not for long any more; NO_SESSION if
   * its session is being opened, so that it says nothing about the model.
   */
  private long lookAt(ModelWorkerVerticle worker) {
    if (worker.needsRecovery()) {
      return NO_SESSION;
    }
    long nanos = worker.watch().runningNanos();
    if (nanos > 0) {
      worker.sendDuringRun();
    }
    if (breaker.exceedsRunLimit(nanos) && limit(worker, nanos)) {
      return NO_SESSION;
    }
    return breaker.isHang(nanos)
            && worker.abort("a run had taken " + Duration.ofNanos(nanos).toMillis() + " ms")
        ? 0
        : nanos;
  }

  /** Ends a run, or else has its worker replaced. Returns whether it was replaced. */
  private boolean limit(ModelWorkerVerticle worker, long nanos) {
    worker.endRun(breaker.endedRun(nanos));
    return (!worker.canEndRuns() || breaker.outlastsItsEnd(nanos))
        && workers.abandonRun(worker, nanos, breaker.abandonedRun(nanos));
  }

  @Override
  public int breaker() {
    return switch (breaker.state()) {
      case CLOSED -> 0;
      case HALF_OPEN -> 1;
      case OPEN -> 2;
    };
  }

  @Override
  public long longestRunNanos() {
    return workers.all().stream()
        .mapToLong(worker -> worker.watch().runningNanos())
        .max()
        .orElse(0);
  }

  @Override
  public int abandonedRuns() {
    return workers.abandonedRuns();
  }

  @Override
  public int workers() {
    return workers.all().size();
  }

  @Override
  public int busyWorkers() {
    return (int) workers.all().stream().filter(worker -> worker.watch().runningNanos() > 0).count();
  }
}
