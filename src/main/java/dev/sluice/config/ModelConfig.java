package dev.sluice.config;

import java.time.Duration;
import java.util.Map;

/**
 * Settings of one model: its {@code model.yml}, with the server's defaults for keys it leaves out.
 *
 * @param versionPolicy which versions to serve; the latest one unless said otherwise
 * @param labels movable names for versions, such as {@code canary: 7}
 * @param maxBatchSize rows (dimension 0) that may be joined in one run; 0: never join, and the
 *     first dimension is not known to be a batch
 * @param maxQueueDelay how long a request may wait for company
 * @param instances sessions, each with a worker of its own
 * @param maxQueuedRequests requests that may wait; one more is refused
 * @param warmup whether a new version runs once on made-up inputs before it takes requests
 * @param runtimes how its session is opened
 */
public record ModelConfig(
    VersionPolicyConfig versionPolicy,
    Map<String, Long> labels,
    int maxBatchSize,
    Duration maxQueueDelay,
    int instances,
    int maxQueuedRequests,
    boolean warmup,
    RuntimesConfig runtimes) {
  public static final ModelConfig DEFAULT =
      new ModelConfig(
          new VersionPolicyConfig.Latest(1),
          Map.of(),
          0,
          Duration.ZERO,
          1,
          1_024,
          true,
          RuntimesConfig.DEFAULT);

  public ModelConfig {
    labels = Map.copyOf(labels);
  }
}
