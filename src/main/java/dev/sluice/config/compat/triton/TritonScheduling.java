package dev.sluice.config.compat.triton;

import dev.sluice.config.compat.triton.proto.ModelConfig;
import dev.sluice.config.compat.triton.proto.ModelDynamicBatching;
import dev.sluice.config.model.BatchingConfig;
import dev.sluice.config.model.QueueConfig;
import dev.sluice.config.model.QueuePolicy;
import java.time.Duration;
import java.util.List;

/** Translates the part of a Triton configuration about queues and dynamic batching. */
final class TritonScheduling {
  private final TritonFields fields;
  private final ModelConfig model;
  private final ModelDynamicBatching dynamicBatching;

  TritonScheduling(TritonFields fields, ModelConfig model) {
    this.fields = fields;
    this.model = model;
    this.dynamicBatching = model.getDynamicBatching();
  }

  /**
   * Returns the batching settings: requests are joined only if {@code dynamic_batching} is present,
   * empty or not, as in Triton.
   */
  BatchingConfig batching(BatchingConfig defaults) {
    int largest = model.hasMaxBatchSize() ? largest(fields, model) : defaults.maxBatchSize();
    return new BatchingConfig(
        largest,
        largest > 1 && (model.hasDynamicBatching() || model.hasSequenceBatching()),
        dynamicBatching.hasMaxQueueDelayMicroseconds()
            ? fields.microseconds(
                "max_queue_delay_microseconds", dynamicBatching.getMaxQueueDelayMicroseconds())
            : defaults.maxQueueDelay(),
        model.hasDynamicBatching() ? preferredSizes(largest) : defaults.preferredBatchSizes(),
        // What the defaults allow is for models of another largest size.
        List.of(),
        false,
        model.hasMaxBatchSize() || model.getInputCount() > 0 || model.getOutputCount() > 0
            ? 0
            : defaults.defaultMaxBatchSize(),
        defaults.maxBatchBytes());
  }

  /** Returns the largest batch; 0 if a model's first dimension is not one. */
  static int largest(TritonFields fields, ModelConfig model) {
    return fields.number("max_batch_size", model.getMaxBatchSize(), BatchingConfig.LARGEST_BATCH);
  }

  private List<Integer> preferredSizes(int largest) {
    List<Integer> sizes = dynamicBatching.getPreferredBatchSizeList();
    sizes.forEach(size -> fields.whole("preferred_batch_size", size, 1, Math.max(1, largest)));
    return List.copyOf(sizes);
  }

  QueueConfig queue(QueueConfig defaults) {
    // There, 0 is one level and no limit; here every queue is bounded.
    int levels =
        either(
            fields.number(
                "priority_levels", dynamicBatching.getPriorityLevels(), QueueConfig.MOST_LEVELS),
            defaults.priorityLevels());
    List<QueuePolicy> policies = new TritonQueues(fields, dynamicBatching).policies(levels);
    return new QueueConfig(
        capacity(policies, defaults.maxQueuedRequests()),
        policies.isEmpty() ? defaults.queueTimeout() : Duration.ZERO,
        levels,
        either(
            fields.number(
                "default_priority_level", dynamicBatching.getDefaultPriorityLevel(), levels),
            Math.min(defaults.defaultPriorityLevel(), levels)),
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

  private static int either(int number, int otherwise) {
    return number > 0 ? number : otherwise;
  }
}
