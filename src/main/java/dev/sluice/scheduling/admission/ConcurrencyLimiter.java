package dev.sluice.scheduling.admission;

import dev.sluice.scheduling.admission.Admission.Accepted;
import dev.sluice.scheduling.admission.Admission.Rejected;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Admits requests to one version of a model, up to a {@link ConcurrencyLimit}. Any thread; no
 * locks.
 */
public final class ConcurrencyLimiter {
  private final ConcurrencyLimit limit;
  private final AtomicInteger inFlight = new AtomicInteger();

  /** One for all: a permit has no state of its own, so that entering allocates nothing. */
  private final Accepted accepted = new Accepted(this::release);

  public ConcurrencyLimiter(ConcurrencyLimit limit) {
    this.limit = limit;
  }

  /** Asks for one request. Never blocks. */
  public Admission admit() {
    int most = limit.get();
    int now = inFlight.incrementAndGet();
    if (now > most) {
      inFlight.decrementAndGet();
      return new Rejected(most, limit.timeToDrain());
    }
    limit.entered(now - 1);
    return accepted;
  }

  /** Returns the number of requests in flight. */
  public int inFlight() {
    return inFlight.get();
  }

  /** Records that one of those inside has waited in vain, and leaves. */
  public void expired() {
    limit.expired();
  }

  private void release() {
    limit.released(inFlight.decrementAndGet());
  }
}
