/**
 * Counters, timers and histograms, before any page gives them a name. Start at {@link
 * dev.sluice.telemetry.meter.VersionMeter}.
 *
 * <p>Threads: meters of runs have one writer, meters of calls many; any thread reads.
 *
 * <p>Units: times are nanoseconds of {@link System#nanoTime}.
 */
@NullMarked
package dev.sluice.telemetry.meter;

import org.jspecify.annotations.NullMarked;
