package dev.sluice.protocol.grps;

import dev.sluice.inference.InferenceException;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Concurrency limit of the grps predictions of one listener. Any thread.
 *
 * <p>Admission control in front of all else: a prediction beyond the limit is rejected at once, as
 * by the native server.
 */
public final class PredictConcurrencyLimit {
  /** About as long as it takes until others are done. */
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final int most;
  private final AtomicInteger taken = new AtomicInteger();

  /**
   * @param most 0: any number
   */
  public PredictConcurrencyLimit(int most) {
    this.most = most;
  }

  /**
   * Runs a prediction if a permit is free.
   *
   * @throws InferenceException RESOURCE_EXHAUSTED if there is not
   */
  public <T> Future<T> enter(Supplier<Future<T>> prediction) {
    if (most == 0) {
      return prediction.get();
    }
    if (taken.incrementAndGet() > most) {
      taken.decrementAndGet();
      throw InferenceException.busy(
          "%d predictions are under way, as many as may be (setting grps.max_connections)"
              .formatted(most),
          RETRY_AFTER);
    }
    try {
      return prediction.get().onComplete(_ -> taken.decrementAndGet());
    } catch (RuntimeException | Error e) {
      taken.decrementAndGet();
      throw e;
    }
  }
}
