package dev.sluice.config;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How plugins are run.
 *
 * @param timeout longest time of one call of a plugin, or between two messages of its stream; 0s:
 *     no limit
 * @param path path at which the plugin's {@code HttpHandler} answers; the paths of the protocols
 *     come first
 * @param settings settings for the plugin's own use
 */
public record JavaConfig(Duration timeout, Optional<String> path, Map<String, String> settings) {
  public static final JavaConfig DEFAULT =
      new JavaConfig(Duration.ofSeconds(30), Optional.empty(), Map.of());

  private static final String PATH = "(/[A-Za-z0-9_.~\\-]+)+";

  public JavaConfig {
    settings = Map.copyOf(settings);
  }

  /** What belongs to one model. */
  static JavaConfig read(Section java, JavaConfig defaults) {
    Map<String, String> settings = new LinkedHashMap<>();
    java.value("settings")
        .map(Setting::named)
        .orElse(Map.of())
        .forEach((key, value) -> settings.put(key, value.text()));
    return new JavaConfig(
        java.duration("timeout", defaults.timeout),
        java.single("path").map(JavaConfig::path),
        settings);
  }

  /** What all models share. */
  static JavaConfig readDefaults(Section java) {
    return new JavaConfig(
        java.duration("timeout", DEFAULT.timeout), DEFAULT.path, DEFAULT.settings);
  }

  private static String path(Setting setting) {
    if (!setting.text().matches(PATH)) {
      throw setting.wanted("a path such as /my/path");
    }
    return setting.text();
  }
}
