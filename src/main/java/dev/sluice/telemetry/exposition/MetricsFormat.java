package dev.sluice.telemetry.exposition;

import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;

/** The forms of the page of metrics. */
public enum MetricsFormat {
  /** Prometheus' text format. */
  PROMETHEUS(PrometheusTextFormatWriter.CONTENT_TYPE),
  /**
   * OpenMetrics 1.0, whose counters are named with {@code _total}; those of other servers that are
   * not have an unknown type.
   */
  OPEN_METRICS(OpenMetricsTextFormatWriter.CONTENT_TYPE);

  private final String contentType;

  MetricsFormat(String contentType) {
    this.contentType = contentType;
  }

  /** Returns its media type. */
  public String contentType() {
    return contentType;
  }

  /** Returns a writer of families. */
  ExpositionFormatWriter writer() {
    return switch (this) {
      case PROMETHEUS -> PrometheusTextFormatWriter.create();
      case OPEN_METRICS -> OpenMetricsTextFormatWriter.create();
    };
  }
}
