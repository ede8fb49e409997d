package dev.sluice.config;

import java.time.Duration;
import java.util.List;

/**
 * How requests for one model wait.
 *
 * @param maxQueuedRequests requests that may wait; one more is refused; 0: no bound by their number
 * @param queueTimeout how long one may wait before it is refused; zero: for as long as its caller
 *     does
 * @param priorityLevels how many levels there are, 1 being the highest
 * @param defaultPriorityLevel the level of a request that names none, or one that does not exist
 * @param policies by level, what a Triton configuration says; empty if there is none that does
 * @param inlineLimit how long a run may take that the event loop does itself which read the
 *     request, instead of leaving it to a worker that rests; zero: none. Not with a delay for
 *     company
 * @param whenFull how one more request than may wait is refused
 */
public record QueueConfig(
    int maxQueuedRequests,
    Duration queueTimeout,
    int priorityLevels,
    int defaultPriorityLevel,
    List<QueuePolicy> policies,
    Duration inlineLimit,
    WhenFull whenFull) {
  /** How one more request than may wait is refused. */
  public enum WhenFull {
    /** As overload is: RESOURCE_EXHAUSTED, 429. */
    EXHAUSTED,
    /** As TensorFlow Serving does: UNAVAILABLE, 503. */
    UNAVAILABLE
  }

  public static final QueueConfig DEFAULT = new QueueConfig(0, Duration.ZERO, 1, 1);

  static final int LONGEST_QUEUE = 1 << 20;

  private static final Duration LONGEST_INLINE = Duration.ofMillis(1);

  /** Each is a line to look into, empty or not. */
  static final int MOST_LEVELS = 64;

  public QueueConfig {
    policies = List.copyOf(policies);
  }

  /** A full queue refuses as an overloaded model does. */
  public QueueConfig(
      int maxQueuedRequests,
      Duration queueTimeout,
      int priorityLevels,
      int defaultPriorityLevel,
      List<QueuePolicy> policies,
      Duration inlineLimit) {
    this(
        maxQueuedRequests,
        queueTimeout,
        priorityLevels,
        defaultPriorityLevel,
        policies,
        inlineLimit,
        WhenFull.EXHAUSTED);
  }

  /** One policy for all levels. */
  public QueueConfig(
      int maxQueuedRequests, Duration queueTimeout, int priorityLevels, int defaultPriorityLevel) {
    this(
        maxQueuedRequests,
        queueTimeout,
        priorityLevels,
        defaultPriorityLevel,
        List.of(),
        Duration.ZERO);
  }

  /** How many requests may wait: as many as a queue can hold if the settings name no number. */
  public int capacity() {
    return maxQueuedRequests == 0 ? LONGEST_QUEUE : maxQueuedRequests;
  }

  /** Whether a full queue is UNAVAILABLE, and no overload. */
  public boolean refusesAsUnavailable() {
    return asTriton() || whenFull == WhenFull.UNAVAILABLE;
  }

  /** Whether requests wait, and are refused, by the rules of a Triton configuration. */
  public boolean asTriton() {
    return !policies.isEmpty();
  }

  /**
   * How requests of a level wait.
   *
   * @param level from 0
   */
  public QueuePolicy policy(int level) {
    return asTriton() ? policies.get(level) : new QueuePolicy(false, queueTimeout, false, 0);
  }

  static QueueConfig read(Section model, QueueConfig defaults) {
    int levels = model.number("priority_levels", defaults.priorityLevels, 1, MOST_LEVELS);
    int defaultLevel = Math.min(defaults.defaultPriorityLevel, levels);
    return new QueueConfig(
        model.number("max_queued_requests", defaults.maxQueuedRequests, 0, LONGEST_QUEUE),
        model.duration("queue_timeout", defaults.queueTimeout),
        levels,
        model.number("default_priority_level", defaultLevel, 1, levels),
        List.of(),
        inlineLimit(model, defaults.inlineLimit),
        model.choice("queue_full", defaults.whenFull));
  }

  private static Duration inlineLimit(Section model, Duration otherwise) {
    Duration limit = model.duration("inline_limit", otherwise);
    if (limit.compareTo(LONGEST_INLINE) > 0) {
      throw model.error(
          "inline_limit", "is longer than 1ms; wanted less, since event loops are held meanwhile");
    }
    return limit;
  }
}
