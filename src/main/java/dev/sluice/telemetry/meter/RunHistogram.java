package dev.sluice.telemetry.meter;

import org.jspecify.annotations.Nullable;

/** A histogram that one thread writes and any reads. */
final class RunHistogram implements Distribution {
  private final Buckets buckets;
  private final SingleWriterCounter[] counts;
  private final SingleWriterCounter sum = new SingleWriterCounter();
  private final Exemplars exemplars;

  RunHistogram(Buckets buckets) {
    this.buckets = buckets;
    exemplars = new Exemplars(buckets.count());
    counts = new SingleWriterCounter[buckets.count()];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = new SingleWriterCounter();
    }
  }

  /** Adds a value. For the one thread that writes. */
  void add(long nanos) {
    counts[buckets.index(nanos)].add(1);
    sum.add(nanos);
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
    return counts[bucket].get();
  }

  @Override
  public long sum() {
    return sum.get();
  }
}
