package dev.sluice.boot;

import static dev.sluice.telemetry.exposition.MetricsPage.Kind.COUNTER;

import dev.sluice.runtime.tensorflow.RunTotals;
import dev.sluice.telemetry.exposition.MetricNames;
import dev.sluice.telemetry.exposition.MetricSource;
import dev.sluice.telemetry.exposition.MetricsPage;

/**
 * Exports those of TensorFlow's own metrics that can be had: its C API does not read them out, so
 * that only what is known of each run is here, by their names.
 *
 * @param totals what was run
 */
record TensorflowCoreMetrics(RunTotals totals) implements MetricSource {
  private static final String CORE = ":tensorflow:core:";
  private static final long MICRO = 1_000;

  @Override
  public MetricNames names() {
    return MetricNames.TENSORFLOW;
  }

  @Override
  public void write(MetricsPage page) {
    page.single(
        CORE + "direct_session_runs", COUNTER, "Runs of TensorFlow sessions.", totals.runs());
    page.single(CORE + "graph_runs", COUNTER, "Runs of TensorFlow graphs.", totals.runs());
    page.single(
        CORE + "graph_run_time_usecs",
        COUNTER,
        "Microseconds that TensorFlow graphs ran.",
        totals.nanos() / MICRO);
  }
}
