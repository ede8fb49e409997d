package dev.sluice.loadtest.report;

import dev.sluice.loadtest.generator.Measurement;
import java.util.Arrays;
import java.util.List;
import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.stat.descriptive.SummaryStatistics;

/**
 * A ratio with its 95 % confidence interval, from one ratio for each set of fresh processes: the
 * geometric mean, and Student's t over the logarithms. Rounds within a process are no independent
 * samples, since the compiler made one choice for all of them, so they count as one.
 *
 * @param ratio the point estimate
 * @param low the interval's lower end; not a number without two processes at least
 * @param high its upper end
 */
record Interval(double ratio, double low, double high) {
  private static final double UPPER = 0.975;

  /** One ratio has no interval. */
  static Interval of(double ratio) {
    return new Interval(ratio, Double.NaN, Double.NaN);
  }

  /** Estimates from independent ratios. What is 0 or infinite has no logarithm: see the median. */
  static Interval of(List<Double> ratios) {
    double[] logs = ratios.stream().mapToDouble(Math::log).toArray();
    if (!Arrays.stream(logs).allMatch(Double::isFinite)) {
      return of(Measurement.median(ratios, ratio -> ratio));
    }
    var statistics = new SummaryStatistics();
    Arrays.stream(logs).forEach(statistics::addValue);
    double mean = statistics.getMean();
    if (logs.length < 2) {
      return of(Math.exp(mean));
    }
    double t = new TDistribution(logs.length - 1.0).inverseCumulativeProbability(UPPER);
    double half = t * statistics.getStandardDeviation() / Math.sqrt(logs.length);
    return new Interval(Math.exp(mean), Math.exp(mean - half), Math.exp(mean + half));
  }

  /** Whether the ratio reaches a goal; unclear if the goal lies within the interval. */
  Verdict verdict(double goal) {
    if (low < goal && goal < high) {
      return Verdict.UNCLEAR;
    }
    return ratio >= goal ? Verdict.YES : Verdict.NO;
  }
}
