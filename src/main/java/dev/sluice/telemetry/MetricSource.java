package dev.sluice.telemetry;

/** Writes some of the metrics onto the page, whenever somebody looks. Any thread. */
@FunctionalInterface
public interface MetricSource {
  void write(MetricsPage page);
}
