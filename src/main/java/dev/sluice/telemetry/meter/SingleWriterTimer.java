package dev.sluice.telemetry.meter;

import dev.sluice.telemetry.meter.ModelStatistics.Times;

/** Timer with one writer: a count and a total time. One thread writes, any reads. */
final class SingleWriterTimer {
  private final SingleWriterCounter count = new SingleWriterCounter();
  private final SingleWriterCounter nanos = new SingleWriterCounter();

  /** Adds an event. For the one thread that writes. */
  void add(long times, long length) {
    count.add(times);
    nanos.add(length);
  }

  long count() {
    return count.get();
  }

  long nanos() {
    return nanos.get();
  }

  Times plus(Times other) {
    return new Times(count() + other.count(), nanos() + other.nanos());
  }
}
