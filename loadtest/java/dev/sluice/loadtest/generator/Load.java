package dev.sluice.loadtest.generator;

import java.time.Duration;

/**
 * How hard a server is asked, for one round.
 *
 * @param connections open at once
 * @param streams requests under way at once on each connection; 1 but for HTTP/2
 * @param duration of the round
 */
public record Load(int connections, int streams, Duration duration) {
  /** One request at a time on each connection. */
  public static Load of(int connections, Duration duration) {
    return new Load(connections, 1, duration);
  }

  /** Threads of the generator: both cores, unless there is only one connection to drive. */
  int threads() {
    return Math.min(2, connections);
  }
}
