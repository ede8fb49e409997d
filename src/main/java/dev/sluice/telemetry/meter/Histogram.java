package dev.sluice.telemetry.meter;

import java.util.concurrent.atomic.LongAdder;

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

  public Histogram(Buckets buckets) {
    this.buckets = buckets;
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
