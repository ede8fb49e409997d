package dev.sluice.telemetry;

/** Writes some of the metrics onto the page, on each scrape. Any thread. */
@FunctionalInterface
public interface MetricSource {
  void write(MetricsPage page);
}
