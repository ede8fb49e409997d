package dev.sluice.config;

import java.time.Duration;

/**
 * How the server stops. The defaults end it within 25 s, of which Kubernetes gives 30: the grace
 * period is longer than its endpoints take to forget a pod that is not ready.
 *
 * @param gracePeriod how long it still accepts requests after it has said that it is not ready, so
 *     that load balancers notice
 * @param drainTimeout how long what was accepted may then take to be answered
 */
public record ShutdownConfig(Duration gracePeriod, Duration drainTimeout) {
  public static final ShutdownConfig DEFAULT =
      new ShutdownConfig(Duration.ofSeconds(5), Duration.ofSeconds(15));

  static ShutdownConfig read(Section shutdown) {
    return new ShutdownConfig(
        shutdown.duration("grace_period", DEFAULT.gracePeriod),
        shutdown.duration("drain_timeout", DEFAULT.drainTimeout));
  }
}
