package dev.sluice.scheduling.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.scheduling.admission.Admission.Accepted;
import dev.sluice.scheduling.admission.Admission.Permit;
import dev.sluice.scheduling.admission.Admission.Rejected;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ConcurrencyLimiterTest {
  private final ConcurrencyLimiter limiter = new ConcurrencyLimiter(new FixedLimit(2));

  @Test
  void asManyAsTheLimitMayBeInside() {
    permit();
    permit();
    assertThat(limiter.admit()).isEqualTo(new Rejected(2, Duration.ofSeconds(1)));
    assertThat(limiter.inFlight()).isEqualTo(2);
  }

  @Test
  void releasingAdmitsOneMore() {
    Permit first = permit();
    permit();
    first.close();
    permit();
    assertThat(limiter.admit()).isInstanceOf(Rejected.class);
  }

  @Test
  void aRejectedRequestTakesNoPermit() {
    Permit first = permit();
    permit();
    for (int i = 0; i < 10; i++) {
      assertThat(limiter.admit()).isInstanceOf(Rejected.class);
    }
    first.close();
    permit();
  }

  private Permit permit() {
    return ((Accepted) limiter.admit()).permit();
  }
}
