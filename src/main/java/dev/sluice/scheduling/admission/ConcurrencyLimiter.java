package dev.sluice.scheduling.admission;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Admits requests to one version of a model, up to a {@link ConcurrencyLimit}. Any thread; no
 * locks.
 */
public final class ConcurrencyLimiter {
  private final ConcurrencyLimit limit;
  private final AtomicInteger inFlight = new AtomicInteger();

  /**
   * A request that may not enter.
   *
   * @param limit how many may be inside
   * @param retryAfter when there may be room; more than nothing
   */
  public record Rejection(int limit, Duration retryAfter) {}

  public ConcurrencyLimiter(ConcurrencyLimit limit) {
    this.limit = limit;
  }

  /**
   * Asks for one request, which enters if it is not rejected, and is {@link #release released} when
   * it leaves. Never blocks.
   *
   * @return null if it is admitted
   */
  public @Nullable Rejection admit() {
    int most = limit.get();
    int now = inFlight.incrementAndGet();
    if (now > most) {
      inFlight.decrementAndGet();
      return new Rejection(most, limit.timeToDrain());
    }
    limit.entered(now - 1);
    return null;
  }

  /** Returns the number of requests in flight. */
  public int inFlight() {
    return inFlight.get();
  }

  /** Records that one of those inside has waited in vain, and leaves. */
  public void expired() {
    limit.expired();
  }

  /** Records that one of those inside leaves. */
  public void release() {
    limit.released(inFlight.decrementAndGet());
  }
}
