package dev.sluice.runtime.tensorflow;

import java.util.concurrent.atomic.LongAdder;

/** Runs of all sessions since the start. Any thread. */
public final class RunTotals {
  private final LongAdder runs = new LongAdder();
  private final LongAdder nanos = new LongAdder();

  RunTotals() {}

  void add(long nanosOfRun) {
    runs.increment();
    nanos.add(nanosOfRun);
  }

  /** Returns the number of runs. */
  public long runs() {
    return runs.sum();
  }

  /** Returns the total time of the runs, in nanoseconds. */
  public long nanos() {
    return nanos.sum();
  }
}
