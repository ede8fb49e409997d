package dev.sluice.testing;

import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.hawkular.agent.prometheus.types.Histogram;
import org.hawkular.agent.prometheus.types.Histogram.Bucket;

/**
 * The values that a histogram of one series has counted, as a metrics page shows them.
 *
 * @param bounds of the buckets, ascending, the last one infinity
 * @param upTo how many values there are up to each bound
 */
public record HistogramValues(List<Double> bounds, List<Long> upTo) {
  /** Reads a histogram of a page. */
  public static HistogramValues of(PrometheusPage page, String name) {
    var series =
        (Histogram) Objects.requireNonNull(page.family(name), name).getMetrics().getFirst();
    List<Bucket> buckets = series.getBuckets();
    return new HistogramValues(
        buckets.stream().map(Bucket::getUpperBound).toList(),
        buckets.stream().map(Bucket::getCumulativeCount).toList());
  }

  /** Returns those that were counted since an earlier look at the same histogram. */
  public HistogramValues since(HistogramValues before) {
    return new HistogramValues(
        bounds,
        IntStream.range(0, bounds.size()).mapToObj(i -> upTo.get(i) - before.upTo.get(i)).toList());
  }

  /** How many there are. */
  public long count() {
    return upTo.getLast();
  }

  /** How many there are above one of the bounds. */
  public long above(double bound) {
    return count() - upTo.get(bounds.indexOf(bound));
  }

  /** A quantile as Prometheus estimates it: values lie evenly in their bucket. */
  public double quantile(double quantile) {
    double rank = quantile * count();
    int bucket = firstWith(rank);
    double lower = bucket == 0 ? 0 : bounds.get(bucket - 1);
    double before = bucket == 0 ? 0 : upTo.get(bucket - 1);
    double within = bounds.get(bucket) - lower;
    return Double.isInfinite(within)
        ? lower
        : lower + within * (rank - before) / (upTo.get(bucket) - before);
  }

  /** The bound that none of them is above. */
  public double most() {
    return bounds.get(firstWith((double) count()));
  }

  private int firstWith(double rank) {
    int bucket = 0;
    while (upTo.get(bucket) < rank) {
      bucket++;
    }
    return bucket;
  }
}
