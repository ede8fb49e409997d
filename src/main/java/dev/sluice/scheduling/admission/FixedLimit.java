package dev.sluice.scheduling.admission;

import java.time.Duration;

/**
 * Fixed concurrency limit.
 *
 * @param get the number
 */
public record FixedLimit(int get) implements ConcurrencyLimit {
  private static final Duration SOON = Duration.ofSeconds(1);

  @Override
  public void released(int inFlight) {
    // There is nothing to learn.
  }

  @Override
  public Duration timeToDrain() {
    return SOON;
  }
}
