package dev.sluice.telemetry;

import java.util.List;

/**
 * The forms in which Triton's metrics show latencies.
 *
 * @param counters whether there are sums
 * @param histograms whether there is the histogram of first responses
 * @param quantiles of summaries; empty: there are none
 */
public record LatencyForms(boolean counters, boolean histograms, List<Double> quantiles) {
  /** Sums alone, which is Triton's default. */
  public static final LatencyForms COUNTERS = new LatencyForms(true, false, List.of());

  public LatencyForms {
    quantiles = List.copyOf(quantiles);
  }
}
