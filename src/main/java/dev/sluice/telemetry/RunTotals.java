package dev.sluice.telemetry;

import dev.sluice.telemetry.meter.ModelStatistics.BatchTimes;
import dev.sluice.telemetry.meter.VersionMeter;

/**
 * Totals of the versions that are loaded. They become smaller when a version is unloaded.
 *
 * @param runs how often a model ran
 * @param rows the rows of those runs
 * @param waiting requests that wait now
 */
public record RunTotals(long runs, long rows, long waiting) {
  /** No runs at all. */
  public static final RunTotals NONE = new RunTotals(0, 0, 0);

  static RunTotals of(VersionMeter version) {
    long runs = 0;
    long rows = 0;
    for (BatchTimes batch : version.statistics().batches()) {
      long count = batch.computeInfer().count();
      runs += count;
      rows += count * batch.size();
    }
    return new RunTotals(runs, rows, version.waiting());
  }

  /** These and those. */
  public RunTotals plus(RunTotals more) {
    return new RunTotals(runs + more.runs, rows + more.rows, waiting + more.waiting);
  }

  /** Returns the mean number of rows of the runs since then; NaN if there were none. */
  public double meanRowsSince(RunTotals before) {
    long more = runs - before.runs;
    return more > 0 && rows >= before.rows ? (double) (rows - before.rows) / more : Double.NaN;
  }
}
