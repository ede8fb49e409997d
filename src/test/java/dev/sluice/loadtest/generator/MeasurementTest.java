package dev.sluice.loadtest.generator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class MeasurementTest {
  @Test
  void percentileIsTheSmallestThatSoManyDoNotExceed() {
    long[] hundred = LongStream.rangeClosed(1, 100).map(i -> 101 - i).toArray();
    assertThat(Measurement.percentile(hundred, 0.5)).isEqualTo(50);
    assertThat(Measurement.percentile(hundred, 0.99)).isEqualTo(99);
    assertThat(Measurement.percentile(hundred, 1)).isEqualTo(100);
    assertThat(Measurement.percentile(new long[] {7}, 0.01)).isEqualTo(7);
  }

  @Test
  void noLatenciesHaveNoPercentile() {
    assertThat(Measurement.percentile(new long[0], 0.5)).isNaN();
  }

  @Test
  void medianIsTakenOfEachFigureAlone() {
    var median =
        Measurement.median(
            List.of(
                new Measurement(10, 300, 5, 1),
                new Measurement(30, 100, 7, 3),
                new Measurement(20, 200, 6, 2)));
    assertThat(median).isEqualTo(new Measurement(20, 200, 6, 2));
  }

  @Test
  void medianOfAnEvenNumberIsBetweenTheMiddleTwo() {
    assertThat(Measurement.median(List.of(4.0, 1.0, 2.0, 9.0), each -> each)).isEqualTo(3);
  }

  @Test
  void thereIsNoMedianOfNothing() {
    assertThatIllegalArgumentException().isThrownBy(() -> Measurement.median(List.of()));
  }
}
