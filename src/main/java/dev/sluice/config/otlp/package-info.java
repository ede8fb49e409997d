/**
 * Settings of what the server sends to OpenTelemetry collectors by OTLP. Start at {@link
 * dev.sluice.config.otlp.TracingConfig}.
 *
 * <p>Parts: {@link CollectorConfig} is where one kind of message goes, {@link TracingConfig} are
 * spans, {@link MetricsExportConfig} are metrics; {@link OtelEnvironment} completes both by the
 * environment variables of OpenTelemetry.
 *
 * <p>Threads: read once at start-up; immutable.
 *
 * <p>Units: lengths of time are {@link java.time.Duration}.
 */
@NullMarked
package dev.sluice.config.otlp;

import org.jspecify.annotations.NullMarked;
