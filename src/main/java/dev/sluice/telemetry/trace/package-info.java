/**
 * Traces of requests in the form of Triton, written to files. Start at {@link
 * dev.sluice.telemetry.trace.Traces}.
 *
 * <p>Threads: traces begin on event loops; one writer thread owns the files.
 *
 * <p>Units: times are nanoseconds.
 */
@NullMarked
package dev.sluice.telemetry.trace;

import org.jspecify.annotations.NullMarked;
