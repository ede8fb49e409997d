package dev.sluice.config.server;

import dev.sluice.config.binding.Section;
import java.time.Duration;

/**
 * Graceful shutdown: how the server drains and stops. The defaults end it within 25 s, of which
 * Kubernetes gives 30: the grace period is longer than its endpoints take to forget a pod that is
 * not ready.
 *
 * @param gracePeriod time that the server still accepts requests after it has become not ready
 * @param drainTimeout time that accepted requests may then take. What still runs is answered with a
 *     failure, and the process ends: 3 s after both, within the 30 s of Kubernetes
 */
public record ShutdownConfig(Duration gracePeriod, Duration drainTimeout) {
  public static final ShutdownConfig DEFAULT =
      new ShutdownConfig(Duration.ofSeconds(5), Duration.ofSeconds(15));

  /** Reads the settings of the shutdown. */
  public static ShutdownConfig read(Section shutdown) {
    return new ShutdownConfig(
        shutdown.duration("grace_period", DEFAULT.gracePeriod),
        shutdown.duration("drain_timeout", DEFAULT.drainTimeout));
  }
}
