package dev.sluice.config;

import java.time.Duration;

/**
 * How requests for one model wait.
 *
 * @param maxQueuedRequests requests that may wait; one more is refused
 * @param queueTimeout how long one may wait before it is refused; zero: for as long as its caller
 *     does
 * @param priorityLevels how many levels there are, 1 being the highest
 * @param defaultPriorityLevel the level of a request that names none, or one that does not exist
 */
public record QueueConfig(
    int maxQueuedRequests, Duration queueTimeout, int priorityLevels, int defaultPriorityLevel) {
  public static final QueueConfig DEFAULT = new QueueConfig(1_024, Duration.ZERO, 1, 1);

  static final int LONGEST_QUEUE = 1 << 20;

  /** Each is a line to look into, empty or not. */
  static final int MOST_LEVELS = 64;

  static QueueConfig read(Section model, QueueConfig defaults) {
    int levels = model.number("priority_levels", defaults.priorityLevels, 1, MOST_LEVELS);
    int defaultLevel = Math.min(defaults.defaultPriorityLevel, levels);
    return new QueueConfig(
        model.number("max_queued_requests", defaults.maxQueuedRequests, 1, LONGEST_QUEUE),
        model.duration("queue_timeout", defaults.queueTimeout),
        levels,
        model.number("default_priority_level", defaultLevel, 1, levels));
  }
}
