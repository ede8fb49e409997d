package dev.sluice.config.binding;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Settings in environment variables: {@code limits.max_body_size} is {@code
 * SLUICE_LIMITS_MAX_BODY_SIZE}.
 */
public final class Environment {
  private static final String PREFIX = "SLUICE_";

  /** Read by the launcher and the command line. */
  private static final Set<String> NOT_SETTINGS =
      Set.of("SLUICE_CONFIG", "SLUICE_JAVA_OPTS", "SLUICE_HEALTH_URL", "SLUICE_HEALTH_TOKEN");

  /** Variables that Kubernetes itself sets in every pod beside a service called sluice. */
  private static final Pattern KUBERNETES =
      Pattern.compile("SLUICE_(SERVICE_(HOST|PORT.*)|PORT(_.*)?)");

  private final Map<String, String> settings = new TreeMap<>();
  private final Consumer<String> warnings;

  public Environment(List<String> settings, Consumer<String> warnings) {
    settings.forEach(path -> this.settings.put(variable(path), path));
    this.settings.put("SLUICE_LISTEN", "listeners");
    this.warnings = warnings;
  }

  /**
   * Returns the settings that the variables override. An empty variable sets nothing, as if it were
   * absent.
   */
  public List<SettingOverride> overrides(Map<String, String> environment) {
    List<SettingOverride> overrides = new ArrayList<>();
    new TreeMap<>(environment)
        .forEach((name, value) -> {
          String path = settings.get(name);
          if (path == null) {
            warnIfOurs(name);
          } else if (!value.isEmpty()) {
            overrides.add(new SettingOverride(path, value, name));
          }
        });
    return overrides;
  }

  private void warnIfOurs(String name) {
    if (!name.startsWith(PREFIX)
        || NOT_SETTINGS.contains(name)
        || KUBERNETES.matcher(name).matches()) {
      return;
    }
    String hint =
        NearestName.to(name, settings.keySet())
            .map(near -> "; did you mean " + near + "?")
            .orElse("");
    warnings.accept("the environment variable " + name + " is no setting of Sluice" + hint);
  }

  private static String variable(String path) {
    return PREFIX + path.replace('.', '_').toUpperCase(Locale.ROOT);
  }
}
