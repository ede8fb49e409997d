package dev.sluice.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.ModelId;
import dev.sluice.telemetry.RequestTotals;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class VersionRatesTest {
  private static final long SECOND = 1_000_000_000;
  private static final ModelId ONE = new ModelId("a", 1);
  private static final ModelId TWO = new ModelId("a", 2);

  private final VersionRates rates = new VersionRates();

  private void look(int second, long answered, long failed) {
    rates.add(
        second * SECOND,
        Map.of(ONE, new RequestTotals(0, 0), TWO, new RequestTotals(answered, failed)));
  }

  @Test
  void eachVersionHasTheRateOfItsOwnRequestsInTenSeconds() {
    look(0, 100, 0);
    assertThat(rates.of(TWO)).isEqualTo(VersionRates.Rate.NOTHING);
    look(2, 103, 1);
    assertThat(rates.of(TWO)).isEqualTo(new VersionRates.Rate(2, 0.25));
    assertThat(rates.of(ONE)).isEqualTo(new VersionRates.Rate(0, 0));
    for (int i = 3; i <= 12; i++) {
      look(i, 103, 1);
    }
    assertThat(rates.of(TWO)).isEqualTo(new VersionRates.Rate(0, 0));
  }

  @Test
  void aVersionThatIsLoadedAgainBeginsAnew() {
    look(0, 100, 0);
    look(1, 110, 0);
    look(2, 1, 0);
    assertThat(rates.of(TWO)).isEqualTo(VersionRates.Rate.NOTHING);
    look(3, 3, 0);
    assertThat(rates.of(TWO)).isEqualTo(new VersionRates.Rate(2, 0));
  }

  @Test
  void aVersionThatIsUnloadedIsForgotten() {
    look(0, 100, 0);
    look(1, 110, 0);
    rates.add(2 * SECOND, Map.of());
    assertThat(rates.of(TWO)).isEqualTo(VersionRates.Rate.NOTHING);
  }
}
