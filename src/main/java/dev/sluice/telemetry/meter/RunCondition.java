package dev.sluice.telemetry.meter;

/** Condition of the runs of a version. Any thread. */
public interface RunCondition {
  /** Returns the state of the circuit breaker: 0 closed, 1 half open, 2 open. */
  int breaker();

  /** Returns for how long the longest run in flight has run; 0 if there is none. */
  long longestRunNanos();

  /**
   * Returns how many runs go on although nothing waits for them, in sessions that were replaced.
   */
  int abandonedRuns();

  /** Returns how many workers take requests. */
  int workers();

  /** Returns how many of them are in a run. */
  int busyWorkers();
}
