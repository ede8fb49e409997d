/**
 * Spans of requests, by OpenTelemetry: which requests have one, and what it says. Start at {@link
 * dev.sluice.telemetry.span.RequestSpans}.
 *
 * <p>Threads: a span begins and ends on the event loop of its request; the SDK exports on a thread
 * of its own.
 *
 * <p>Units: times are nanoseconds, by the clock of calls where they are not said to be of the day.
 */
@NullMarked
package dev.sluice.telemetry.span;

import org.jspecify.annotations.NullMarked;
