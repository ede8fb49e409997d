package dev.sluice.telemetry;

/** The summaries of one version, if they are wanted. Any thread. */
final class LatencySummaries {
  final LatencySummary request = new LatencySummary();
  final LatencySummary queue = new LatencySummary();
  final LatencySummary input = new LatencySummary();
  final LatencySummary infer = new LatencySummary();
  final LatencySummary output = new LatencySummary();
  final LatencySummary cacheHit = new LatencySummary();
  final LatencySummary cacheMiss = new LatencySummary();
}
