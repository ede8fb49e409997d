/**
 * Export of spans and metrics to collectors by OpenTelemetry's SDK. Start at {@link
 * dev.sluice.boot.otlp.OtlpExport}.
 *
 * <p>Parts: {@link CollectorExporters} send messages, by gRPC with {@link GrpcMessageSender};
 * {@link CollectorWatch} counts them. {@link SpanExport} sends spans, {@link MetricExport} metrics,
 * which {@link MetricReading} makes of the snapshots that are on the page of metrics.
 *
 * <p>Threads: made and closed by the main thread; spans end on event loops; both are exported by
 * threads of the SDK, and those of the JDK's HTTP client or the event loops.
 */
@NullMarked
package dev.sluice.boot.otlp;

import org.jspecify.annotations.NullMarked;
