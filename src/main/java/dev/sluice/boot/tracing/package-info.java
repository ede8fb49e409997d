/**
 * Export of spans by OpenTelemetry's SDK. Start at {@link dev.sluice.boot.tracing.SpanExport}.
 *
 * <p>Threads: made and closed by the main thread; spans end on event loops, and are exported by a
 * thread of the SDK, and those of the JDK's HTTP client or the event loops.
 */
@NullMarked
package dev.sluice.boot.tracing;

import org.jspecify.annotations.NullMarked;
