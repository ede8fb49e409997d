package dev.sluice.transport;

import java.time.Duration;

/** The header {@code Retry-After}. */
public final class RetryAfter {
  private static final long ALMOST_A_SECOND_NANOS = 999_999_999;

  private RetryAfter() {}

  /** Returns its value for a time: the header has no fractions, and 0 would mean at once. */
  public static long seconds(Duration time) {
    return Math.max(1, time.plusNanos(ALMOST_A_SECOND_NANOS).toSeconds());
  }
}
