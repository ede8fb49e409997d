package dev.sluice.loadtest.generator;

import com.fasterxml.jackson.annotation.JsonProperty;
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
 * @param cpuMicros processor time of the server per good answer, in microseconds; not a number if
 *     nothing watched the server
 * @param compiling processor time of the server's compiler threads, as a part of one core; not a
 *     number if nothing watched the server
 */
public record Measurement(
    double rate,
    double p50,
    double p99,
    long answers,
    @JsonProperty("cpu_micros") double cpuMicros,
    double compiling) {
  /** Nothing was measured. */
  public static final Measurement NONE = new Measurement(Double.NaN, Double.NaN, Double.NaN, 0);

  /** What a generator sees of a round: not the server's processor time. */
  public Measurement(double rate, double p50, double p99, long answers) {
    this(rate, p50, p99, answers, Double.NaN, Double.NaN);
  }

  /** Only a rate. */
  public static Measurement ofRate(double rate) {
    return new Measurement(rate, Double.NaN, Double.NaN, 0);
  }

  /** The same without latencies. */
  public Measurement rateAndCost() {
    return new Measurement(rate, Double.NaN, Double.NaN, answers, cpuMicros, compiling);
  }

  /** The same with another number of answers. */
  public Measurement withAnswers(long other) {
    return new Measurement(rate, p50, p99, other, cpuMicros, compiling);
  }

  /**
   * The same with what the server spent.
   *
   * @param spent its processor time during the round, in microseconds
   * @param share that of its compiler threads, as a part of one core
   */
  public Measurement withCost(double spent, double share) {
    return new Measurement(rate, p50, p99, answers, spent / answers, share);
  }

  /** The same at another rate. */
  Measurement withRate(double other) {
    return new Measurement(other, p50, p99, answers, cpuMicros, compiling);
  }

  /** The median of each figure. */
  public static Measurement median(List<Measurement> rounds) {
    return new Measurement(
        median(rounds, Measurement::rate),
        median(rounds, Measurement::p50),
        median(rounds, Measurement::p99),
        (long) median(rounds, Measurement::answers),
        median(rounds, Measurement::cpuMicros),
        median(rounds, Measurement::compiling));
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
