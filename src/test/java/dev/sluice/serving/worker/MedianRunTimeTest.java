package dev.sluice.serving.worker;

import static org.assertj.core.api.Assertions.assertThat;

import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class MedianRunTimeTest {
  private static final long SECOND = 1_000_000_000;
  private static final long TINY = 100_000;
  private static final Percentage ONE_STEP = Percentage.withPercentage(15);

  private final MedianRunTime median = new MedianRunTime();

  private void learn(int runs, long nanos) {
    for (int i = 0; i < runs; i++) {
      median.learn(nanos);
    }
  }

  @Test
  void runsOfOneLengthAreTheMedian() {
    learn(100, 50_000_000);
    assertThat(median.nanos()).isCloseTo(50_000_000, ONE_STEP);
    learn(100, 5_000_000);
    assertThat(median.nanos()).isCloseTo(5_000_000, ONE_STEP);
  }

  @Test
  void aFewVeryLongRunsChangeNothing() {
    median.learn(SECOND);
    for (int round = 0; round < 50; round++) {
      learn(9, TINY);
      median.learn(SECOND);
      assertThat(median.nanos()).isLessThan(3 * TINY);
    }
  }

  @Test
  void nothingIsLessThanNoTime() {
    learn(10, 0);
    assertThat(median.nanos()).isZero();
  }
}
