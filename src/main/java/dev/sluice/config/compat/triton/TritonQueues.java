package dev.sluice.config.compat.triton;

import dev.sluice.config.compat.triton.proto.ModelDynamicBatching;
import dev.sluice.config.compat.triton.proto.ModelQueuePolicy;
import dev.sluice.config.compat.triton.proto.ModelQueuePolicy.TimeoutAction;
import dev.sluice.config.model.QueueConfig;
import dev.sluice.config.model.QueuePolicy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The queue policies of a Triton configuration: that of all priority levels, and those of single
 * ones.
 */
record TritonQueues(TritonFields fields, ModelDynamicBatching batching) {
  /** By level, the highest first; empty if the configuration says nothing. */
  List<QueuePolicy> policies(int levels) {
    if (!batching.hasDefaultQueuePolicy() && batching.getPriorityQueuePolicyCount() == 0) {
      return List.of();
    }
    List<QueuePolicy> policies =
        new ArrayList<>(Collections.nCopies(levels, policy(batching.getDefaultQueuePolicy())));
    batching
        .getPriorityQueuePolicyMap()
        .forEach((key, policy) -> {
          long level = fields.whole("key", key, 1, Long.MAX_VALUE);
          // Requests of levels that do not exist are of the default one.
          if (level <= levels) {
            policies.set((int) level - 1, policy(policy));
          }
        });
    return policies;
  }

  private QueuePolicy policy(ModelQueuePolicy queue) {
    return new QueuePolicy(
        queue.getTimeoutAction() == TimeoutAction.DELAY,
        fields.microseconds("default_timeout_microseconds", queue.getDefaultTimeoutMicroseconds()),
        queue.getAllowTimeoutOverride(),
        fields.number(
            "max_queue_size",
            Integer.toUnsignedLong(queue.getMaxQueueSize()),
            QueueConfig.LONGEST_QUEUE));
  }
}
