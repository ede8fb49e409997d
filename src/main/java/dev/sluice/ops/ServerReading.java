package dev.sluice.ops;

import dev.sluice.telemetry.CallTotals;
import dev.sluice.telemetry.RunTotals;

/**
 * What the server's meters say at one moment: counts so far, and how much there is now. Immutable.
 *
 * @param millis when, in milliseconds since 1970
 * @param nanos when, by the clock that measures durations
 * @param calls to all models so far
 * @param runs of all loaded versions so far, and the requests that wait now
 * @param processorNanos time that the process computed so far
 * @param residentBytes memory of the process
 * @param heapBytes used memory of the Java heap
 * @param lagSeconds the largest lag of an event loop, newly measured
 */
record ServerReading(
    long millis,
    long nanos,
    CallTotals calls,
    RunTotals runs,
    long processorNanos,
    double residentBytes,
    double heapBytes,
    double lagSeconds) {}
