package dev.sluice.extension;

import java.time.Duration;

/**
 * Metrics of a plugin's own, on the metrics page of the server, with the labels {@code model} and
 * {@code version}. Any thread; recording takes no lock.
 *
 * <p>Names are of letters, digits and underscores; the page shows them behind {@code plugin_}. The
 * same name and labels are the same series. A version has a limit of series ({@value
 * #MOST_SERIES}); those beyond it record nothing and are counted. All of them end with the version.
 *
 * <p>Labels are names and values by turns. Of a value the first {@value #LONGEST_LABEL} characters
 * count.
 */
public interface Metrics {
  /** Series of one version, each bucket of a timer among them. */
  int MOST_SERIES = 1_000;

  /** Characters of a label's value. */
  int LONGEST_LABEL = 128;

  /** A number that grows. */
  interface Counter {
    /**
     * Adds to it.
     *
     * @throws IllegalArgumentException if the amount is below zero
     */
    void add(long amount);
  }

  /** A number that rises and falls. */
  interface Gauge {
    /** Sets it. */
    void set(double value);
  }

  /** A histogram of durations. */
  interface Timer {
    /**
     * Counts a duration.
     *
     * @throws IllegalArgumentException if it is below zero
     */
    void record(Duration taken);
  }

  /**
   * Returns a counter.
   *
   * @param name ends in {@code _total}
   * @throws IllegalArgumentException if the name or a label is none, or another kind has the name
   */
  Counter counter(String name, String help, String... labels);

  /**
   * Returns a gauge.
   *
   * @param name has none of the endings of counters and timers
   * @throws IllegalArgumentException as for a counter
   */
  Gauge gauge(String name, String help, String... labels);

  /**
   * Returns a timer, which the page shows in seconds.
   *
   * @param name ends in {@code _seconds}
   * @throws IllegalArgumentException as for a counter
   */
  Timer timer(String name, String help, String... labels);
}
