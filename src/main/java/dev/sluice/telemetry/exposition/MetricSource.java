package dev.sluice.telemetry.exposition;

/**
 * A collector of some of the metrics on each scrape. Any thread.
 *
 * <p>A source keeps no state between scrapes.
 */
@FunctionalInterface
public interface MetricSource {
  /** Writes the current values. Called on a worker, so it may take a while. */
  void write(MetricsPage page);

  /** Returns whose names they have: others than Sluice's are of use to some listeners alone. */
  default MetricNames names() {
    return MetricNames.SLUICE;
  }
}
