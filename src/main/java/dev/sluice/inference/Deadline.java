package dev.sluice.inference;

import java.time.Duration;

/**
 * A point in time after which a request has expired, on {@link System#nanoTime}'s scale.
 *
 * @param nanos the point; meaningless for {@link #NONE}
 * @param exists false only for {@link #NONE}
 */
public record Deadline(long nanos, boolean exists) {
  public static final Deadline NONE = new Deadline(0, false);

  /** Returns the deadline at a value of {@link System#nanoTime}. */
  public static Deadline at(long nanos) {
    return new Deadline(nanos, true);
  }

  /** So long after now. A length too long for the clock is no deadline. */
  public static Deadline after(Duration length, long nowNanos) {
    return length.compareTo(Duration.ofDays(365)) > 0 ? NONE : at(nowNanos + length.toNanos());
  }

  /** Returns whether the deadline has expired at a value of {@link System#nanoTime}. */
  public boolean hasPassed(long nowNanos) {
    return exists && nowNanos - nanos >= 0;
  }

  /** Returns the earlier of the two. */
  public Deadline earlier(Deadline other) {
    if (!exists) {
      return other;
    }
    return other.exists && other.nanos - nanos < 0 ? other : this;
  }
}
