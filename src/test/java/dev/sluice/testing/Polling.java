package dev.sluice.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for what a running server shows at some time, without a sleep. The caller's thread. */
public final class Polling {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private Polling() {}

  /**
   * Asks until a condition holds, a minute at most.
   *
   * @param what the condition in words, for the failure
   */
  public static void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      Thread.onSpinWait();
    }
  }
}
