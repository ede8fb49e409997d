package dev.sluice.ops;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TimeSeriesTest {
  private static final int NEWEST_DAY = 29;
  private static final int NEWEST_HOUR = 53;
  private static final int NEWEST_MINUTE = 113;
  private static final int NEWEST_SECOND = 173;

  private static double[] after(TimeSeries trend, int seconds) {
    for (int i = 1; i <= seconds; i++) {
      trend.add(i);
    }
    return trend.points();
  }

  @Test
  void theNewestSecondIsTheLastPoint() {
    double[] points = after(TimeSeries.ofMeans(), 2);
    assertThat(points).hasSize(174);
    assertThat(points[NEWEST_SECOND]).isEqualTo(2);
    assertThat(points[NEWEST_SECOND - 1]).isEqualTo(1);
    assertThat(points[NEWEST_SECOND - 2]).isZero();
    assertThat(points[NEWEST_MINUTE]).isZero();
  }

  @Test
  void sixtySecondsMakeAMinute() {
    double[] points = after(TimeSeries.ofMeans(), 121);
    assertThat(points[NEWEST_MINUTE]).isEqualTo(90.5);
    assertThat(points[NEWEST_MINUTE - 1]).isEqualTo(30.5);
    assertThat(points[NEWEST_SECOND]).isEqualTo(121);
  }

  @Test
  void ofAPeakTheMostIsKept() {
    assertThat(after(TimeSeries.ofPeaks(), 60)[NEWEST_MINUTE]).isEqualTo(60);
  }

  @Test
  void hoursAndDaysAreKeptToo() {
    double[] points = after(TimeSeries.ofPeaks(), 25 * 3600);
    assertThat(points[NEWEST_HOUR]).isEqualTo(25 * 3600);
    assertThat(points[NEWEST_HOUR - 1]).isEqualTo(24 * 3600);
    assertThat(points[NEWEST_DAY]).isEqualTo(24 * 3600);
    assertThat(points[NEWEST_DAY - 1]).isZero();
  }

  @Test
  void theLastMinuteIsItsSeconds() {
    TimeSeries trend = TimeSeries.ofMeans();
    after(trend, 61);
    assertThat(trend.lastMinute()).hasSize(60).startsWith(2).endsWith(61);
  }
}
