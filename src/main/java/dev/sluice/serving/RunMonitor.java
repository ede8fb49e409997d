package dev.sluice.serving;

import dev.sluice.scheduling.batching.RunWatch;
import dev.sluice.scheduling.breaker.CircuitBreaker;
import dev.sluice.telemetry.RunCondition;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;

/**
 * Looks at the runs of a model now and then: logs those that take long, and opens the breaker if
 * the model hangs. Looks on a timer; what it tells is for any thread.
 */
final class RunMonitor implements RunCondition {
  private static final long LONGEST_PERIOD_MILLIS = 5_000;
  private static final long SHORTEST_PERIOD_MILLIS = 20;
  private static final int LOOKS = 4;

  private final List<RunWatch> runs;
  private final CircuitBreaker breaker;
  private final LongRunLog log;
  private final Runnable hangs;

  /**
   * @param runs of all workers
   * @param hangs refuses what waits for a model that hangs
   */
  RunMonitor(List<RunWatch> runs, CircuitBreaker breaker, LongRunLog log, Runnable hangs) {
    this.runs = List.copyOf(runs);
    this.breaker = breaker;
    this.log = log;
    this.hangs = hangs;
  }

  /**
   * Looks from now on, several times while a run comes to be one that hangs.
   *
   * @return the timer, to be cancelled
   */
  long start(Vertx vertx, Duration hang) {
    long period =
        hang.isZero()
            ? LONGEST_PERIOD_MILLIS
            : Math.clamp(hang.toMillis() / LOOKS, SHORTEST_PERIOD_MILLIS, LONGEST_PERIOD_MILLIS);
    return vertx.setPeriodic(period, _ -> look());
  }

  void look() {
    log.look();
    if (breaker.look(runs.stream().mapToLong(RunWatch::runningNanos).min().orElse(0))) {
      hangs.run();
    }
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
    return runs.stream().mapToLong(RunWatch::runningNanos).max().orElse(0);
  }
}
