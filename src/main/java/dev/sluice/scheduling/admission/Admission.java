package dev.sluice.scheduling.admission;

import java.time.Duration;

/** Decision of admission control: accepted with a permit, or rejected. */
public sealed interface Admission {
  /** It may enter. The permit is given back once, when the request leaves. */
  record Accepted(Permit permit) implements Admission {}

  /**
   * It may not.
   *
   * @param limit how many may be inside
   * @param retryAfter when there may be room; more than nothing
   */
  record Rejected(int limit, Duration retryAfter) implements Admission {}

  /** A permit of the concurrency limit, held by an admitted request. */
  @FunctionalInterface
  interface Permit extends AutoCloseable {
    /** Gives it back. Any thread. */
    @Override
    void close();
  }
}
