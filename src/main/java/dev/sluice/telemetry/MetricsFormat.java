package dev.sluice.telemetry;

/** The forms of the page of metrics. */
public enum MetricsFormat {
  /** Prometheus' text format. */
  PROMETHEUS("text/plain; version=0.0.4; charset=utf-8"),
  /**
   * OpenMetrics 1.0, whose counters are named with {@code _total}; those of other servers that are
   * not have an unknown type.
   */
  OPEN_METRICS("application/openmetrics-text; version=1.0.0; charset=utf-8");

  private final String contentType;

  MetricsFormat(String contentType) {
    this.contentType = contentType;
  }

  /** Returns its media type. */
  public String contentType() {
    return contentType;
  }
}
