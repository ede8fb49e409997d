package dev.sluice.telemetry;

import dev.sluice.telemetry.ModelStatistics.Times;
import java.util.concurrent.atomic.LongAdder;

/** How often something happened and how long it took. Any thread. */
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
