package dev.sluice.boot.otlp;

import dev.sluice.telemetry.exposition.MetricSource;
import dev.sluice.telemetry.exposition.MetricsPage;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import io.opentelemetry.sdk.metrics.export.PeriodicMetricReader;
import java.net.URI;
import java.time.Duration;

/**
 * Sends metrics to a collector time after time. They are read and sent by a thread of the SDK, one
 * message after the other: what is kept for a collector is one reading, however slow it is.
 */
final class MetricExport implements MetricSource {
  /** Series in a message: with buckets some 1.5 MB, where collectors take 4 MiB by gRPC. */
  static final int MOST_AT_ONCE = 2_000;

  private final PeriodicMetricReader reader;
  private final CollectorWatch watch;

  /**
   * Begins.
   *
   * @param exporter sends a message
   * @param endpoint where to, for the log
   * @param metrics what is read, on the SDK's thread
   */
  MetricExport(MetricExporter exporter, URI endpoint, Duration interval, MetricReading metrics) {
    this.watch = new CollectorWatch("metrics", endpoint);
    this.reader =
        PeriodicMetricReader.builder(new WatchedMetrics(exporter, watch))
            .setInterval(interval)
            .setExporterTimeout(CollectorExporters.ALL_ATTEMPTS)
            .setMaxExportBatchSize(MOST_AT_ONCE)
            .build();
    reader.register(metrics);
  }

  @Override
  public void write(MetricsPage page) {
    page.single(
        "sluice_metric_exports_total",
        MetricsPage.Kind.COUNTER,
        "Messages with metrics that the collector has taken.",
        watch.exported());
    page.single(
        "sluice_metric_export_failures_total",
        MetricsPage.Kind.COUNTER,
        "Messages with metrics that the collector has not taken.",
        watch.lost());
  }

  /** Begins to send all metrics once more, and ends after that. The SDK blocks meanwhile. */
  CompletableResultCode shutdown() {
    var ended = new CompletableResultCode();
    var _ =
        Thread.ofPlatform()
            .daemon()
            .name("last-metrics")
            .start(() -> reader.shutdown().whenComplete(ended::succeed));
    return ended;
  }
}
