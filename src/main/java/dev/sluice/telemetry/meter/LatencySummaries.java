package dev.sluice.telemetry.meter;

/** The summaries of one version, if they are wanted. Any thread. */
public final class LatencySummaries {
  public final LatencySummary request = new LatencySummary();
  public final LatencySummary queue = new LatencySummary();
  public final LatencySummary input = new LatencySummary();
  public final LatencySummary infer = new LatencySummary();
  public final LatencySummary output = new LatencySummary();
  public final LatencySummary cacheHit = new LatencySummary();
  public final LatencySummary cacheMiss = new LatencySummary();
}
