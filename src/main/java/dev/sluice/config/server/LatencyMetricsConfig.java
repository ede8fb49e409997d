package dev.sluice.config.server;

import dev.sluice.config.binding.Section;
import java.util.List;

/**
 * In which forms Triton's metrics of requests show how long something takes.
 *
 * @param counters whether Triton's metrics have sums of latencies
 * @param histograms whether they have the histogram of the time to a stream's first response
 * @param summaries whether they have quantiles of the latencies of the last minute
 * @param summaryQuantiles the quantiles of summaries
 */
public record LatencyMetricsConfig(
    boolean counters, boolean histograms, boolean summaries, List<Double> summaryQuantiles) {
  public static final LatencyMetricsConfig DEFAULT =
      new LatencyMetricsConfig(true, false, false, List.of(0.5, 0.9, 0.95, 0.99, 0.999));

  public LatencyMetricsConfig {
    summaryQuantiles = List.copyOf(summaryQuantiles);
  }

  static LatencyMetricsConfig read(Section latencies) {
    return new LatencyMetricsConfig(
        latencies.flag("counters", DEFAULT.counters),
        latencies.flag("histograms", DEFAULT.histograms),
        latencies.flag("summaries", DEFAULT.summaries),
        latencies.list(
            "summary_quantiles", DEFAULT.summaryQuantiles, quantile -> quantile.decimal(0, 1)));
  }
}
