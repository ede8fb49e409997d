package dev.sluice.config.server;

import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Rate limiting: whether runs wait for resources, as under Triton's rate limiter.
 *
 * @param mode whether instances run only while the resources of their {@code rate_limiter} are
 *     free: {@code execution_count} has those wait least that ran least, by their priorities
 * @param resources how much there is of each resource, as {@code NAME:COUNT}, or {@code
 *     NAME:COUNT:DEVICE} for one device: instances are on device 0. Without any, as much as the
 *     instance needs that needs most
 */
public record RateLimitConfig(Mode mode, List<Available> resources) {
  /** The choice of the instance that runs next. */
  public enum Mode {
    NONE,
    EXECUTION_COUNT
  }

  /**
   * The available amount of a resource.
   *
   * @param device where; empty for all
   */
  public record Available(String name, int count, Optional<Integer> device) {
    private static final String WANTED = "a resource as NAME:COUNT or NAME:COUNT:DEVICE";

    static Available parse(Setting setting) {
      String[] parts = setting.text().split(":", -1);
      boolean valid = (parts.length == 2 || parts.length == 3) && !parts[0].isBlank();
      List<Integer> numbers = new ArrayList<>();
      for (int i = 1; valid && i < parts.length; i++) {
        valid = parts[i].matches("\\d{1,9}");
        if (valid) {
          numbers.add(Integer.parseInt(parts[i]));
        }
      }
      if (!valid) {
        throw setting.wanted(WANTED);
      }
      return new Available(parts[0], numbers.getFirst(), numbers.stream().skip(1).findFirst());
    }
  }

  public static final RateLimitConfig DEFAULT = new RateLimitConfig(Mode.NONE, List.of());

  public RateLimitConfig {
    resources = List.copyOf(resources);
  }

  static RateLimitConfig read(Section limit) {
    return new RateLimitConfig(
        limit.choice("mode", DEFAULT.mode),
        limit.list("resources", DEFAULT.resources, Available::parse));
  }
}
