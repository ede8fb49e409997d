package dev.sluice.config.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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
    if (config.declared().get("instance_group") instanceof List<?> groups) {
      for (Object group : groups) {
        if (group instanceof Map<?, ?> fields) {
          int count = Math.max(1, number(fields.get("count")));
          InstanceLimit limit = limit(fields.get("rate_limiter"));
          for (int i = 0; i < count && i < ModelConfig.MOST_INSTANCES; i++) {
            limits.add(limit);
          }
        }
      }
    }
    return limits;
  }

  private static InstanceLimit limit(@Nullable Object limiter) {
    if (!(limiter instanceof Map<?, ?> fields)) {
      return NONE;
    }
    List<Resource> resources = new ArrayList<>();
    if (fields.get("resources") instanceof List<?> list) {
      for (Object resource : list) {
        if (resource instanceof Map<?, ?> said) {
          resources.add(
              new Resource(
                  String.valueOf(said.get("name")),
                  Boolean.TRUE.equals(said.get("global")),
                  number(said.get("count"))));
        }
      }
    }
    return new InstanceLimit(resources, Math.max(1, number(fields.get("priority"))));
  }

  private static int number(@Nullable Object value) {
    return value instanceof Long number ? Math.clamp(number, 0, Integer.MAX_VALUE) : 0;
  }
}
