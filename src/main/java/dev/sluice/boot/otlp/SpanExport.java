package dev.sluice.boot.otlp;

import dev.sluice.config.otlp.TracingConfig;
import dev.sluice.telemetry.exposition.MetricSource;
import dev.sluice.telemetry.exposition.MetricsPage;
import dev.sluice.telemetry.span.CallSpan;
import dev.sluice.telemetry.span.RequestSpans;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanLimits;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.time.Duration;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * Sends spans to a collector. What is kept for it is bounded; what goes beyond is dropped and
 * counted, and no event loop ever waits.
 */
final class SpanExport implements MetricSource {
  /** Spans that wait to be sent, at most: some 2 MB. */
  private static final int MOST_WAITING = 4_096;

  private static final int MOST_AT_ONCE = 512;
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  private final SdkTracerProvider provider;
  private final CollectorWatch watch;
  private final BoundedProcessor processor;
  private final RequestSpans spans;

  /**
   * @param exporters of the collector that gets them
   * @param resource what they say of this server
   */
  SpanExport(
      TracingConfig config,
      CollectorExporters exporters,
      Resource resource,
      LongSupplier nanoTime,
      InstantSource clock) {
    this.watch = new CollectorWatch("spans", exporters.endpoint());
    var exporter = new WatchedSpans(exporters.spans(), watch);
    this.processor = new BoundedProcessor(batches(exporter), MOST_WAITING);
    exporter.onTaken(processor::taken);
    this.provider =
        SdkTracerProvider.builder()
            .setSampler(Sampler.alwaysOn())
            .setResource(resource)
            .setSpanLimits(
                SpanLimits.builder().setMaxAttributeValueLength(CallSpan.LONGEST_TEXT).build())
            .addSpanProcessor(processor)
            .build();
    this.spans =
        new RequestSpans(
            provider.get("dev.sluice"),
            config.samplingRatio(),
            config.parentBased(),
            nanoTime,
            clock);
  }

  private static BatchSpanProcessor batches(SpanExporter exporter) {
    return BatchSpanProcessor.builder(exporter)
        .setMaxQueueSize(MOST_WAITING)
        .setMaxExportBatchSize(MOST_AT_ONCE)
        .setScheduleDelay(INTERVAL)
        .setExporterTimeout(CollectorExporters.ALL_ATTEMPTS)
        .build();
  }

  /** Returns which requests have spans. */
  RequestSpans spans() {
    return spans;
  }

  @Override
  public void write(MetricsPage page) {
    page.single(
        "sluice_spans_exported_total",
        MetricsPage.Kind.COUNTER,
        "Spans that the collector has taken.",
        watch.exported());
    page.single(
        "sluice_spans_dropped_total",
        MetricsPage.Kind.COUNTER,
        "Spans that were not exported: too many waited, or the collector did not take them.",
        watch.lost() + processor.dropped());
  }

  /** Begins to send what waits, and ends after that. */
  CompletableResultCode shutdown() {
    return provider.shutdown();
  }
}
