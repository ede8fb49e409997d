package dev.sluice.telemetry.meter;

/** A histogram that one thread writes and any reads. */
final class RunHistogram implements Distribution {
  private final Buckets buckets;
  private final SingleWriterCounter[] counts;
  private final SingleWriterCounter sum = new SingleWriterCounter();

  RunHistogram(Buckets buckets) {
    this.buckets = buckets;
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
