package dev.sluice.config.model;

import dev.sluice.config.binding.Section;
import java.time.Duration;

/**
 * Circuit breaker: when a model is taken out of service because its runs hang or fail.
 *
 * @param hang run time of a run that hangs, if it is also 3 times as long as any before; 0s: no run
 *     hangs
 * @param failures failed runs in a row, not counting client errors, that open the circuit breaker;
 *     0: never
 * @param probeInterval interval at which a failing model gets one request to try
 * @param readiness what reports not ready while the circuit breaker is open
 * @param abandonedRuns runs that hang and cannot be ended, at most, that go on beside the sessions
 *     opened in place of theirs; 0: no such session is opened
 */
public record BreakerConfig(
    Duration hang, int failures, Duration probeInterval, Readiness readiness, int abandonedRuns) {
  /** The readiness that a health check reports for a model whose circuit breaker is open. */
  public enum Readiness {
    /** Nothing. */
    NONE,
    /** The model is not ready. */
    MODEL,
    /** Neither the model nor the server is. */
    SERVER
  }

  public static final BreakerConfig DEFAULT =
      new BreakerConfig(Duration.ofSeconds(60), 100, Duration.ofSeconds(5), Readiness.MODEL, 2);

  private static final int MOST_FAILURES = 1_000_000;
  private static final int MOST_ABANDONED_RUNS = 100;

  static BreakerConfig read(Section breaker, BreakerConfig defaults) {
    return new BreakerConfig(
        breaker.duration("hang", defaults.hang),
        breaker.number("failures", defaults.failures, 0, MOST_FAILURES),
        breaker.duration("probe_interval", defaults.probeInterval),
        breaker.choice("readiness", defaults.readiness),
        breaker.number("abandoned_runs", defaults.abandonedRuns, 0, MOST_ABANDONED_RUNS));
  }
}
