package dev.sluice.serving.worker;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.RunTimeBasis;
import java.time.Duration;

/**
 * How long a run may take that an event loop does inline.
 *
 * @param longest zero: none is
 * @param equalRows whether a request's inputs must have the same number of rows, since their bytes
 *     say nothing otherwise
 */
public record InlineLimit(Duration longest, boolean equalRows) {
  /** Workers do all runs. */
  static final InlineLimit NEVER = new InlineLimit(Duration.ZERO, false);

  /** About as long as waking a worker takes, and its answers to come back. */
  private static final Duration AUTO = Duration.ofNanos(50_000);

  /**
   * Returns the limit of a model. None of its runs is inline where requests wait for a batch delay,
   * nor where they wait for another process or for resources: an event loop cannot. Without a
   * setting, those are whose time follows from the sizes of inputs: no request makes a run of a
   * known size long.
   */
  public static InlineLimit of(ModelConfig config, ModelInstances instances) {
    if (!config.batching().maxQueueDelay().isZero()
        || !instances.areUnlimited()
        || instances.sessions().stream().anyMatch(session -> session.process().isPresent())) {
      return NEVER;
    }
    return config
        .queue()
        .inlineLimit()
        .map(longest -> new InlineLimit(longest, false))
        .orElseGet(() -> automatic(instances.first()));
  }

  private static InlineLimit automatic(ModelSession session) {
    RunTimeBasis basis = session.runTimeBasis();
    return basis == RunTimeBasis.VALUES
        ? NEVER
        : new InlineLimit(AUTO, basis == RunTimeBasis.SIZE_OF_EQUAL_ROWS);
  }

  /** Returns whether no run is inline. */
  public boolean isNever() {
    return longest.isZero();
  }
}
