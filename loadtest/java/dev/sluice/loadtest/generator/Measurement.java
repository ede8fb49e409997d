package dev.sluice.loadtest.generator;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What one round showed, or the medians of several.
 *
 * @param rate good answers per second
 * @param p50 median latency of good answers in microseconds
 * @param p99 the latency that one good answer of a hundred exceeds, in microseconds
 * @param answers how many good answers there were
 */
public record Measurement(double rate, double p50, double p99, long answers) {
  /** Nothing was measured. */
  public static final Measurement NONE = new Measurement(Double.NaN, Double.NaN, Double.NaN, 0);

  /** The same with another number of answers. */
  public Measurement withAnswers(long other) {
    return new Measurement(rate, p50, p99, other);
  }

  /** The same at another rate. */
  Measurement withRate(double other) {
    return new Measurement(other, p50, p99, answers);
  }

  /** The median of each figure. */
  public static Measurement median(List<Measurement> rounds) {
    return new Measurement(
        median(rounds, Measurement::rate),
        median(rounds, Measurement::p50),
        median(rounds, Measurement::p99),
        (long) median(rounds, Measurement::answers));
  }

  /** The middle one of some figures, or the mean of the middle two. */
  public static <T> double median(List<T> rounds, ToDoubleFunction<T> figure) {
    double[] sorted = rounds.stream().mapToDouble(figure).sorted().toArray();
    if (sorted.length == 0) {
      throw new IllegalArgumentException("no rounds, no median");
    }
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /**
   * The smallest latency that at least this share of all does not exceed.
   *
   * @param share above 0, at most 1
   */
  public static double percentile(long[] latencies, double share) {
    if (latencies.length == 0) {
      return Double.NaN;
    }
    long[] sorted = latencies.clone();
    Arrays.sort(sorted);
    return sorted[Math.max(0, (int) Math.ceil(share * sorted.length) - 1)];
  }
}
