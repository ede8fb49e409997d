package dev.sluice.config;

import java.time.Duration;

/**
 * When a model is taken out of service for a while, because its runs hang or fail.
 *
 * @param hang how long a run takes that hangs, if it takes far longer than those before too; zero:
 *     none ever does
 * @param failures so many runs in a row fail by no fault of their requests; 0: any number may
 * @param probeInterval how often a model that fails is given one request, to see whether it still
 *     does
 * @param readiness what is not ready meanwhile
 */
public record BreakerConfig(
    Duration hang, int failures, Duration probeInterval, Readiness readiness) {
  /** What a health check sees of a model whose breaker is open. */
  public enum Readiness {
    /** Nothing. */
    NONE,
    /** The model is not ready. */
    MODEL,
    /** Neither the model nor the server is. */
    SERVER
  }

  public static final BreakerConfig DEFAULT =
      new BreakerConfig(Duration.ofSeconds(60), 100, Duration.ofSeconds(5), Readiness.MODEL);

  private static final int MOST_FAILURES = 1_000_000;

  static BreakerConfig read(Section breaker, BreakerConfig defaults) {
    return new BreakerConfig(
        breaker.duration("hang", defaults.hang),
        breaker.number("failures", defaults.failures, 0, MOST_FAILURES),
        breaker.duration("probe_interval", defaults.probeInterval),
        breaker.choice("readiness", defaults.readiness));
  }
}
