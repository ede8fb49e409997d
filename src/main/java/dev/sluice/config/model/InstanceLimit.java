package dev.sluice.config.model;

import dev.sluice.config.compat.triton.proto.ModelRateLimiter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The resources that an instance of a model needs before it may run, as {@code
 * instance_group.rate_limiter} of a Triton configuration says.
 *
 * @param resources taken for each run, and given back after it
 * @param priority weight of the runs of the instance: one of 2 gets half as many as one of 1
 */
public record InstanceLimit(List<Resource> resources, int priority) {
  /**
   * A resource.
   *
   * @param global whether all devices share it
   */
  public record Resource(String name, boolean global, int count) {}

  /** An instance that needs nothing. */
  public static final InstanceLimit NONE = new InstanceLimit(List.of(), 1);

  public InstanceLimit {
    resources = List.copyOf(resources);
  }

  /** Returns the limits of a model's instances, in the order of its groups. */
  public static List<InstanceLimit> of(ModelConfig config) {
    List<InstanceLimit> limits = new ArrayList<>();
    for (var group : config.declared().getInstanceGroupList()) {
      int count = Math.clamp(group.getCount(), 1, ModelConfig.MOST_INSTANCES);
      InstanceLimit limit = group.hasRateLimiter() ? limit(group.getRateLimiter()) : NONE;
      limits.addAll(Collections.nCopies(count, limit));
    }
    return limits;
  }

  private static InstanceLimit limit(ModelRateLimiter limiter) {
    return new InstanceLimit(
        limiter.getResourcesList().stream()
            .map(said -> new Resource(said.getName(), said.getGlobal(), number(said.getCount())))
            .toList(),
        Math.max(1, number(limiter.getPriority())));
  }

  /** Returns an unsigned number, or the largest int. */
  private static int number(int value) {
    return value < 0 ? Integer.MAX_VALUE : value;
  }
}
