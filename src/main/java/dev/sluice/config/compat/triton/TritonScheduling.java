package dev.sluice.config.compat.triton;

import dev.sluice.config.binding.ProtoFields;
import dev.sluice.config.model.BatchingConfig;
import dev.sluice.config.model.QueueConfig;
import dev.sluice.config.model.QueuePolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Translates the part of a Triton {@code config.pbtxt} about queues and dynamic batching. */
final class TritonScheduling {
  private final ProtoFields model;
  private final Optional<ProtoFields> dynamicBatching;

  TritonScheduling(ProtoFields model) {
    this.model = model;
    this.dynamicBatching = model.inner("dynamic_batching");
  }

  /**
   * Returns the batching settings: requests are joined only if {@code dynamic_batching} is present,
   * empty or not, as in Triton.
   */
  BatchingConfig batching(BatchingConfig defaults) {
    int largest =
        model
            .number("max_batch_size", BatchingConfig.LARGEST_BATCH)
            .orElse(defaults.maxBatchSize());
    return new BatchingConfig(
        largest,
        largest > 1 && (dynamicBatching.isPresent() || model.has("sequence_batching")),
        dynamicBatching
            .flatMap(batching -> batching.microseconds("max_queue_delay_microseconds"))
            .orElse(defaults.maxQueueDelay()),
        dynamicBatching
            .map(batching -> preferredSizes(batching, largest))
            .orElse(defaults.preferredBatchSizes()),
        // What the defaults allow is for models of another largest size.
        List.of(),
        false,
        says("max_batch_size") || says("input") || says("output")
            ? 0
            : defaults.defaultMaxBatchSize());
  }

  private boolean says(String field) {
    return model.has(field);
  }

  private static List<Integer> preferredSizes(ProtoFields batching, int largest) {
    return batching.numbers("preferred_batch_size", 1, Math.max(1, largest)).stream()
        .map(Long::intValue)
        .toList();
  }

  QueueConfig queue(QueueConfig defaults) {
    // There, 0 is one level and no limit; here every queue is bounded.
    int levels =
        number(dynamicBatching, "priority_levels", QueueConfig.MOST_LEVELS)
            .orElse(defaults.priorityLevels());
    List<QueuePolicy> policies = new TritonQueues(dynamicBatching).policies(levels);
    return new QueueConfig(
        capacity(policies, defaults.maxQueuedRequests()),
        policies.isEmpty() ? defaults.queueTimeout() : Duration.ZERO,
        levels,
        number(dynamicBatching, "default_priority_level", levels)
            .orElse(Math.min(defaults.defaultPriorityLevel(), levels)),
        policies,
        defaults.inlineLimit());
  }

  /** Returns all levels together; as many as otherwise if one of them has no bound. */
  private static int capacity(List<QueuePolicy> policies, int otherwise) {
    long capacity = 0;
    for (QueuePolicy policy : policies) {
      if (policy.maxSize() == 0) {
        return otherwise;
      }
      capacity += policy.maxSize();
    }
    return capacity == 0 ? otherwise : (int) Math.min(capacity, QueueConfig.LONGEST_QUEUE);
  }

  /** Empty if the field is not there, or 0. */
  private static Optional<Integer> number(Optional<ProtoFields> fields, String field, int highest) {
    return fields.flatMap(message -> message.number(field, highest)).filter(number -> number > 0);
  }
}
