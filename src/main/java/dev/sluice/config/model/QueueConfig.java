package dev.sluice.config.model;

import dev.sluice.config.binding.Section;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The queue of one model's requests.
 *
 * @param maxQueuedRequests requests that may wait in the queue; one more is rejected; 0: no limit
 *     by number
 * @param queueTimeout queue timeout: time that a request may wait; 0s: as long as its caller does
 * @param priorityLevels number of priorities, 1 being the highest. A lower level waits while a
 *     higher one has requests
 * @param defaultPriorityLevel priority of requests that name none, or one that does not exist
 * @param policies by level, what a Triton configuration says; empty if there is none that does
 * @param inlineLimit run time up to which a run is executed inline, on the event loop, while a
 *     worker is idle; 0s: never; at most 1ms; auto: 50us for ONNX models of which the sizes of
 *     inputs say how long a run takes, never for others. Not together with a batch delay
 * @param whenFull status of a request that a full queue rejects. {@code exhausted}: 429,
 *     RESOURCE_EXHAUSTED; {@code unavailable}: 503, UNAVAILABLE, as TensorFlow Serving does
 */
public record QueueConfig(
    int maxQueuedRequests,
    Duration queueTimeout,
    int priorityLevels,
    int defaultPriorityLevel,
    List<QueuePolicy> policies,
    Optional<Duration> inlineLimit,
    WhenFull whenFull) {
  /** The error of a request that finds the queue full. */
  public enum WhenFull {
    /** Overload: RESOURCE_EXHAUSTED, 429. */
    EXHAUSTED,
    /** TensorFlow Serving's answer: UNAVAILABLE, 503. */
    UNAVAILABLE
  }

  public static final QueueConfig DEFAULT = new QueueConfig(0, Duration.ZERO, 1, 1);

  public static final int LONGEST_QUEUE = 1 << 20;

  private static final Duration LONGEST_INLINE = Duration.ofMillis(1);

  /** Each is a line to look into, empty or not. */
  public static final int MOST_LEVELS = 64;

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
      Optional<Duration> inlineLimit) {
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
        Optional.empty());
  }

  /**
   * Returns the capacity of the queue; that of the largest queue if the settings name no number.
   */
  public int capacity() {
    return maxQueuedRequests == 0 ? LONGEST_QUEUE : maxQueuedRequests;
  }

  /** Returns the same with so many more requests that may wait. */
  public QueueConfig withMore(int requests) {
    return maxQueuedRequests == 0
        ? this
        : new QueueConfig(
            maxQueuedRequests + requests,
            queueTimeout,
            priorityLevels,
            defaultPriorityLevel,
            policies,
            inlineLimit,
            whenFull);
  }

  /** Returns the same with all runs on workers. */
  public QueueConfig withoutInlineRuns() {
    return new QueueConfig(
        maxQueuedRequests,
        queueTimeout,
        priorityLevels,
        defaultPriorityLevel,
        policies,
        Optional.of(Duration.ZERO),
        whenFull);
  }

  /** Returns whether a full queue is UNAVAILABLE, and no overload. */
  public boolean refusesAsUnavailable() {
    return hasPolicies() || whenFull == WhenFull.UNAVAILABLE;
  }

  /** Returns whether each priority level has a policy of how its requests wait and are refused. */
  public boolean hasPolicies() {
    return !policies.isEmpty();
  }

  /**
   * Returns the policy of a priority level.
   *
   * @param level from 0
   */
  public QueuePolicy policy(int level) {
    return hasPolicies() ? policies.get(level) : new QueuePolicy(false, queueTimeout, false, 0);
  }

  /** Reads the settings of a model's queue. */
  public static QueueConfig read(Section model, QueueConfig defaults) {
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

  private static Optional<Duration> inlineLimit(Section model, Optional<Duration> otherwise) {
    Optional<Duration> limit = model.durationOrAuto("inline_limit", otherwise);
    if (limit.orElse(Duration.ZERO).compareTo(LONGEST_INLINE) > 0) {
      throw model.error(
          "inline_limit", "is longer than 1ms; wanted less, since event loops are held meanwhile");
    }
    return limit;
  }
}
