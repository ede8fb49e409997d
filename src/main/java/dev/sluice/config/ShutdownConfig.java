package dev.sluice.config;

import java.time.Duration;

/**
 * How the server stops.
 *
 * @param gracePeriod how long it still accepts requests after it has said that it is not ready, so
 *     that load balancers notice
 * @param drainTimeout how long what was accepted may then take to be answered
 */
public record ShutdownConfig(Duration gracePeriod, Duration drainTimeout) {
  public static final ShutdownConfig DEFAULT =
      new ShutdownConfig(Duration.ZERO, Duration.ofSeconds(30));

  static ShutdownConfig read(Section shutdown) {
    return new ShutdownConfig(
        shutdown.duration("grace_period", DEFAULT.gracePeriod),
        shutdown.duration("drain_timeout", DEFAULT.drainTimeout));
  }
}
