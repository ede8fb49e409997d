package dev.sluice.config.model;

import java.time.Duration;

/**
 * The queue policy of one priority level, as in a Triton configuration.
 *
 * @param delays whether who has waited too long stays, behind all others of the level; else it is
 *     refused
 * @param timeout how long one may wait; zero: for as long as its caller does
 * @param overridable whether a request may name a shorter time
 * @param maxSize requests of this level that may wait; 0: as many as there is room for
 */
public record QueuePolicy(boolean delays, Duration timeout, boolean overridable, int maxSize) {
  private static final long NANOS_PER_MICRO = 1_000;
  private static final long LONGEST_MICROS = Long.MAX_VALUE / NANOS_PER_MICRO;

  /**
   * Returns how long a request may wait.
   *
   * @param wantedMicros what it says itself, in microseconds; 0 if nothing
   * @return nanoseconds; {@link Long#MAX_VALUE} without end
   */
  public long queueTimeoutNanos(long wantedMicros) {
    long own = timeout.isZero() ? Long.MAX_VALUE : timeout.toNanos();
    return overridable && wantedMicros > 0
        ? Math.min(own, Math.min(wantedMicros, LONGEST_MICROS) * NANOS_PER_MICRO)
        : own;
  }
}
