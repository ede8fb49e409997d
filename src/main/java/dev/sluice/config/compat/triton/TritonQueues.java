package dev.sluice.config.compat.triton;

import dev.sluice.config.binding.ProtoFields;
import dev.sluice.config.model.QueueConfig;
import dev.sluice.config.model.QueuePolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * The queue policies of a Triton configuration: that of all priority levels, and those of single
 * ones.
 */
record TritonQueues(Optional<ProtoFields> dynamicBatching) {
  /** By level, the highest first; empty if the configuration says nothing. */
  List<QueuePolicy> policies(int levels) {
    Optional<ProtoFields> common =
        dynamicBatching.flatMap(batching -> batching.inner("default_queue_policy"));
    List<ProtoFields> single =
        dynamicBatching.map(batching -> batching.inners("priority_queue_policy")).orElse(List.of());
    if (common.isEmpty() && single.isEmpty()) {
      return List.of();
    }
    List<QueuePolicy> policies = new ArrayList<>(Collections.nCopies(levels, policy(common)));
    for (ProtoFields entry : single) {
      entry
          .whole("key", 1, Long.MAX_VALUE)
          // Requests of levels that do not exist are of the default one.
          .filter(level -> level <= levels)
          .ifPresent(level -> policies.set(level.intValue() - 1, policy(entry.inner("value"))));
    }
    return policies;
  }

  private static QueuePolicy policy(Optional<ProtoFields> queue) {
    return new QueuePolicy(
        queue.flatMap(fields -> fields.text("timeout_action")).filter("DELAY"::equals).isPresent(),
        queue
            .flatMap(fields -> fields.microseconds("default_timeout_microseconds"))
            .orElse(Duration.ZERO),
        queue.flatMap(fields -> fields.flag("allow_timeout_override")).orElse(false),
        queue
            .flatMap(fields -> fields.number("max_queue_size", QueueConfig.LONGEST_QUEUE))
            .orElse(0));
  }
}
