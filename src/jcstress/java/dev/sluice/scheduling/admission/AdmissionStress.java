package dev.sluice.scheduling.admission;

import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Two requests arrive where one permit is left: one is admitted, and both permits come back. */
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "one admitted, none left inside")
@State
public class AdmissionStress {
  private final ConcurrencyLimiter limiter =
      new ConcurrencyLimiter(
          new ConcurrencyLimit() {
            @Override
            public int get() {
              return 1;
            }

            @Override
            public void released(int inFlight) {}

            @Override
            public Duration timeToDrain() {
              return Duration.ZERO;
            }
          });

  private volatile boolean first;
  private volatile boolean second;

  @Actor
  public void eventLoop() {
    first = limiter.admit() == null;
  }

  @Actor
  public void otherEventLoop() {
    second = limiter.admit() == null;
  }

  private int release(boolean admitted) {
    if (admitted) {
      limiter.release();
      return 1;
    }
    return 0;
  }

  @Arbiter
  public void result(II_Result result) {
    result.r1 = release(first) + release(second);
    result.r2 = limiter.inFlight();
  }
}
