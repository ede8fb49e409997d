package dev.sluice.telemetry.meter;

import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Histogram of values over buckets. Any thread; no locks.
 *
 * <p>Adding is one atomic increment in an array. A scrape that reads meanwhile may see a sum
 * without its last count, as all exporters do.
 */
public final class Histogram implements Distribution {
  private final Buckets buckets;
  private final LongAdder[] counts;
  private final LongAdder sum = new LongAdder();
  private final Exemplars exemplars;

  public Histogram(Buckets buckets) {
    this.buckets = buckets;
    this.exemplars = new Exemplars(buckets.count());
    this.counts = new LongAdder[buckets.count()];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = new LongAdder();
    }
  }

  /** Counts a value. */
  public void add(long value) {
    counts[buckets.index(value)].increment();
    sum.add(value);
  }

  /** Keeps the request of a value that was counted, in its bucket. */
  void keep(Exemplar exemplar) {
    exemplars.put(buckets.index(exemplar.value()), exemplar);
  }

  @Override
  public @Nullable Exemplar exemplar(int bucket) {
    return exemplars.get(bucket);
  }

  @Override
  public Buckets buckets() {
    return buckets;
  }

  @Override
  public long count(int bucket) {
    return counts[bucket].sum();
  }

  @Override
  public long sum() {
    return sum.sum();
  }
}
