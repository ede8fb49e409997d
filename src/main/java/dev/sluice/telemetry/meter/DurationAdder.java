package dev.sluice.telemetry.meter;

import dev.sluice.telemetry.meter.ModelStatistics.Times;
import java.util.concurrent.atomic.LongAdder;

/**
 * Adder of a count and a total time. Any thread.
 *
 * <p>Uses adders that many threads write without contention; reading sums up and is for scrapes.
 */
final class DurationAdder {
  private final LongAdder count = new LongAdder();
  private final LongAdder nanos = new LongAdder();

  void add(long length) {
    count.increment();
    nanos.add(length);
  }

  Times times() {
    return new Times(count.sum(), nanos.sum());
  }
}
