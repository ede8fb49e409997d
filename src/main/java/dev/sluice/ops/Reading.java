package dev.sluice.ops;

import dev.sluice.telemetry.CallTotals;
import dev.sluice.telemetry.RunTotals;

/**
 * What the meters say at one moment, of the whole server or of one model: counts so far, and how
 * much there is now. Immutable.
 *
 * @param millis when, in milliseconds since 1970
 * @param nanos when, by the clock that measures durations
 * @param calls that ended so far
 * @param runs of the loaded versions so far, and the requests that wait now
 * @param processorNanos time that the process computed so far; 0 of a model, as those below
 * @param residentBytes memory of the process
 * @param heapBytes used memory of the Java heap
 * @param lagSeconds the largest lag of an event loop, newly measured
 */
record Reading(
    long millis,
    long nanos,
    CallTotals calls,
    RunTotals runs,
    long processorNanos,
    double residentBytes,
    double heapBytes,
    double lagSeconds) {
  /** Returns a reading of one model, for {@link Figure#ofModels}. */
  static Reading ofModel(long millis, long nanos, CallTotals calls, RunTotals runs) {
    return new Reading(millis, nanos, calls, runs, 0, 0, 0, 0);
  }
}
