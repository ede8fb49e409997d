package dev.sluice.telemetry.meter;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A sum that one thread writes and any reads: adding is a plain store.
 *
 * <p>Cheaper than a {@code LongAdder}, whose add is an atomic instruction, which matters where a
 * run takes microseconds.
 */
final class SingleWriterCounter {
  private final AtomicLong sum = new AtomicLong();

  /** Adds to the sum. For the one thread that writes. */
  void add(long more) {
    sum.lazySet(sum.getPlain() + more);
  }

  long get() {
    return sum.get();
  }
}
