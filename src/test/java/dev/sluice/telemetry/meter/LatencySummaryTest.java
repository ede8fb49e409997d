package dev.sluice.telemetry.meter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LatencySummaryTest {
  private static final List<Double> QUANTILES = List.of(0.0, 0.5, 0.9, 0.99, 1.0);
  private static final long SECOND = 1_000_000_000L;

  private final LatencySummary summary = new LatencySummary();

  @ParameterizedTest
  @ValueSource(longs = {0, -100 * SECOND, 12 * SECOND - 1, Long.MAX_VALUE / 2})
  void quantilesAreThoseOfTheSortedValues(long now) {
    var random = new Random(1);
    long[] values = new long[10_000];
    for (int i = 0; i < values.length; i++) {
      values[i] = (long) Math.exp(Math.log(20_000) + random.nextDouble() * 15);
      summary.add(values[i], 1, now);
    }
    Arrays.sort(values);
    LatencySummary.Shown shown = summary.shown(QUANTILES, now);
    for (int i = 0; i < QUANTILES.size(); i++) {
      double expected =
          (double) values[Math.max(0, (int) Math.ceil(QUANTILES.get(i) * values.length) - 1)];
      assertThat(shown.quantiles().get(i)).isCloseTo(expected, within(0.02 * expected));
    }
    assertThat(shown.count()).isEqualTo(values.length);
    assertThat(shown.nanos()).isEqualTo(Arrays.stream(values).sum());
  }

  @Test
  void valuesAreForgottenAfterAMinuteAndStayInTheSum() {
    summary.add(1_000_000, 3, 0);
    summary.add(5_000_000, 1, 30 * SECOND);
    assertThat(summary.shown(List.of(0.5), 59 * SECOND).quantiles().getFirst())
        .isCloseTo(1e6, within(2e4));
    assertThat(summary.shown(List.of(0.5), 61 * SECOND).quantiles().getFirst())
        .isCloseTo(5e6, within(1e5));
    LatencySummary.Shown later = summary.shown(List.of(0.5), 600 * SECOND);
    assertThat(later.quantiles().getFirst()).isNaN();
    assertThat(later.count()).isEqualTo(4);
    assertThat(later.nanos()).isEqualTo(8_000_000);
  }

  @Test
  void lengthsBeyondAllBoundsAreCounted() {
    summary.add(-5, 1, 0);
    summary.add(Long.MAX_VALUE, 1, 0);
    List<Double> both = summary.shown(List.of(0.5, 1.0), 0).quantiles();
    assertThat(both.getFirst()).isLessThan(1_000);
    assertThat(both.getLast()).isGreaterThan(3_600.0 * SECOND);
  }
}
