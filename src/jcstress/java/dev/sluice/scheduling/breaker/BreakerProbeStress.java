package dev.sluice.scheduling.breaker;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.sluice.config.model.BreakerConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;
import org.slf4j.LoggerFactory;

/**
 * Two requests come when a failing model is due for a probe: exactly one of them is let through.
 */
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "the first is the probe")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "the second is the probe")
@State
public class BreakerProbeStress {
  private static final BreakerConfig CONFIG =
      new BreakerConfig(Duration.ZERO, 1, Duration.ofSeconds(5), BreakerConfig.Readiness.MODEL, 0);

  static {
    // A line for each of millions.
    if (LoggerFactory.getLogger(CircuitBreaker.class) instanceof Logger logger) {
      logger.setLevel(Level.OFF);
    }
  }

  private final long opened = System.nanoTime();
  private boolean due;

  private final CircuitBreaker breaker =
      new CircuitBreaker(
          new ModelId("m", 1),
          CONFIG,
          () -> due ? opened + CONFIG.probeInterval().toNanos() : opened);

  public BreakerProbeStress() {
    breaker.failed(new InferenceException(ErrorCode.INTERNAL, "the model failed"));
    due = true;
  }

  @Actor
  public void eventLoop(ZZ_Result result) {
    result.r1 = breaker.refusal() == null;
  }

  @Actor
  public void otherEventLoop(ZZ_Result result) {
    result.r2 = breaker.refusal() == null;
  }
}
