package dev.sluice.scheduling.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.scheduling.admission.ConcurrencyLimiter.Rejection;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ConcurrencyLimiterTest {
  private final ConcurrencyLimiter limiter = new ConcurrencyLimiter(new FixedLimit(2));

  @Test
  void asManyAsTheLimitMayBeInside() {
    admit(2);
    assertThat(limiter.admit()).isEqualTo(new Rejection(2, Duration.ofSeconds(1)));
    assertThat(limiter.inFlight()).isEqualTo(2);
  }

  @Test
  void releasingAdmitsOneMore() {
    admit(2);
    limiter.release();
    admit(1);
    assertThat(limiter.admit()).isNotNull();
  }

  @Test
  void aRejectedRequestTakesNoPermit() {
    admit(2);
    for (int i = 0; i < 10; i++) {
      assertThat(limiter.admit()).isNotNull();
    }
    limiter.release();
    admit(1);
  }

  private void admit(int requests) {
    for (int i = 0; i < requests; i++) {
      assertThat(limiter.admit()).isNull();
    }
  }
}
