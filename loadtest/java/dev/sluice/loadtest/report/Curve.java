package dev.sluice.loadtest.report;

import java.util.List;

/**
 * How rate and latency change with the number of connections.
 *
 * @param workload what was asked
 * @param server who was asked: Sluice or the ceiling
 * @param points by number of connections
 */
public record Curve(String workload, String server, List<Point> points) {
  public Curve {
    points = List.copyOf(points);
  }

  /**
   * One round, or the medians of several.
   *
   * @param connections open at once
   * @param rate good answers per second
   * @param p50 in microseconds
   * @param p99 in microseconds
   */
  public record Point(int connections, double rate, double p50, double p99) {}
}
