package dev.sluice.config.model;

import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Settings of plugins.
 *
 * @param timeout longest time of one call of a plugin, or between two messages of its stream; 0s:
 *     no limit
 * @param path path at which the plugin's {@code HttpHandler} answers: none at which a protocol of
 *     every listener has something, which is an error when the model is loaded
 * @param settings settings for the plugin's own use
 * @param concurrency calls of a plugin at once, which share its objects; 0: as many as runs of a
 *     model, by {@code instances} and {@code concurrency}
 */
public record JavaConfig(
    Duration timeout, Optional<String> path, Map<String, String> settings, int concurrency) {
  public static final JavaConfig DEFAULT =
      new JavaConfig(Duration.ofSeconds(30), Optional.empty(), Map.of(), 0);

  private static final int MOST_CALLS = 1_024;

  private static final String PATH = "(/[A-Za-z0-9_.~\\-]+)+";

  public JavaConfig {
    settings = Map.copyOf(settings);
  }

  /** Reads the settings of one model. */
  static JavaConfig read(Section java, JavaConfig defaults) {
    Map<String, String> settings = new LinkedHashMap<>();
    java.value("settings")
        .map(Setting::named)
        .orElse(Map.of())
        .forEach((key, value) -> settings.put(key, value.text()));
    return new JavaConfig(
        java.duration("timeout", defaults.timeout),
        java.single("path").map(JavaConfig::path),
        settings,
        java.number("concurrency", defaults.concurrency, 0, MOST_CALLS));
  }

  /** Reads the settings that all models share. */
  public static JavaConfig readDefaults(Section java) {
    return new JavaConfig(
        java.duration("timeout", DEFAULT.timeout),
        DEFAULT.path,
        DEFAULT.settings,
        java.number("concurrency", DEFAULT.concurrency, 0, MOST_CALLS));
  }

  /** Returns the same with so many calls at once, or the most there may be, unless one is set. */
  JavaConfig atLeast(int calls) {
    return concurrency > 0
        ? this
        : new JavaConfig(timeout, path, settings, Math.min(calls, MOST_CALLS));
  }

  /** Returns the same with further settings for the plugin, in place of those of the same names. */
  JavaConfig with(Map<String, String> others) {
    var all = new LinkedHashMap<>(settings);
    all.putAll(others);
    return new JavaConfig(timeout, path, all, concurrency);
  }

  private static String path(Setting setting) {
    if (!setting.text().matches(PATH)) {
      throw setting.wanted("a path such as /my/path");
    }
    return setting.text();
  }
}
