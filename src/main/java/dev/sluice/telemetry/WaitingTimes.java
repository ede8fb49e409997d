package dev.sluice.telemetry;

/** A histogram that one thread writes and any reads. */
final class WaitingTimes implements Distribution {
  private final Tally[] counts;
  private final Tally sum = new Tally();

  WaitingTimes() {
    counts = new Tally[Buckets.WAITING.count()];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = new Tally();
    }
  }

  /** For the one thread that writes. */
  void add(long nanos) {
    counts[Buckets.WAITING.index(nanos)].add(1);
    sum.add(nanos);
  }

  @Override
  public Buckets buckets() {
    return Buckets.WAITING;
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
