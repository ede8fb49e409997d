package dev.sluice.loadtest.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class IntervalTest {
  /** Student's t of 95 % with two degrees of freedom, from tables. */
  private static final double T_OF_TWO = 4.3027;

  @Test
  void intervalIsStudentsOfTheLogarithms() {
    Interval interval = Interval.of(List.of(1.0, Math.exp(0.1), Math.exp(-0.1)));
    double half = T_OF_TWO * 0.1 / Math.sqrt(3);
    assertThat(interval.ratio()).isCloseTo(1, within(1e-9));
    assertThat(interval.low()).isCloseTo(Math.exp(-half), within(1e-4));
    assertThat(interval.high()).isCloseTo(Math.exp(half), within(1e-4));
  }

  @Test
  void ratioAndItsInverseHaveTheSameInterval() {
    Interval interval = Interval.of(List.of(0.8, 0.9, 1.1, 0.7));
    Interval inverse = Interval.of(List.of(1 / 0.8, 1 / 0.9, 1 / 1.1, 1 / 0.7));
    assertThat(inverse.low()).isCloseTo(1 / interval.high(), within(1e-9));
    assertThat(inverse.high()).isCloseTo(1 / interval.low(), within(1e-9));
  }

  @Test
  void oneProcessHasNoInterval() {
    Interval interval = Interval.of(List.of(0.7));
    assertThat(interval.ratio()).isCloseTo(0.7, within(1e-9));
    assertThat(interval.low()).isNaN();
    assertThat(interval.high()).isNaN();
  }

  @Test
  void ratioOfZeroLeavesTheMedianAlone() {
    assertThat(Interval.of(List.of(0.0, 0.5, 0.6))).isEqualTo(Interval.of(0.5));
  }

  @Test
  void goalWithinTheIntervalIsUnclear() {
    var interval = new Interval(0.9, 0.8, 1.0);
    assertThat(interval.verdict(0.95)).isEqualTo(Verdict.UNCLEAR);
    assertThat(interval.verdict(0.85)).isEqualTo(Verdict.UNCLEAR);
    assertThat(interval.verdict(0.7)).isEqualTo(Verdict.YES);
    assertThat(interval.verdict(0.8)).isEqualTo(Verdict.YES);
    assertThat(interval.verdict(1.1)).isEqualTo(Verdict.NO);
  }

  @Test
  void withoutAnIntervalThePointDecides() {
    assertThat(Interval.of(0.8).verdict(0.8)).isEqualTo(Verdict.YES);
    assertThat(Interval.of(0.8).verdict(0.9)).isEqualTo(Verdict.NO);
    assertThat(Interval.of(Double.NaN).verdict(0.9)).isEqualTo(Verdict.NO);
  }
}
