package dev.sluice.config.binding;

import java.util.ArrayList;
import java.util.Collection;
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

  /** Variables that Kubernetes sets in every pod beside services called sluice or sluice-NAME. */
  private static final Pattern KUBERNETES =
      Pattern.compile("SLUICE_(.*_)?(SERVICE_(HOST|PORT.*)|PORT(_.*)?)");

  /** What is set here keeps others out: a variable that is mistyped must not let them in. */
  private static final String SECURITY = PREFIX + "SECURITY_";

  private final Map<String, String> settings = new TreeMap<>();

  /** Tables and lists of them, which a text cannot hold. */
  private final Map<String, String> tables = new TreeMap<>();

  private final Consumer<String> warnings;

  /**
   * @param settings that a single text can set
   * @param keys of all settings
   */
  public Environment(List<String> settings, Collection<String> keys, Consumer<String> warnings) {
    settings.forEach(path -> this.settings.put(variable(path), path));
    this.settings.put("SLUICE_LISTEN", "listeners");
    keys.forEach(path -> tables.put(variable(path), path));
    tables.keySet().removeAll(this.settings.keySet());
    this.warnings = warnings;
  }

  /**
   * Returns the settings that the variables override. An empty variable sets nothing, as if it were
   * absent.
   *
   * @throws ConfigException if one is set that cannot be set so, or that may have been meant to
   *     keep callers out
   */
  public List<SettingOverride> overrides(Map<String, String> environment) {
    List<SettingOverride> overrides = new ArrayList<>();
    new TreeMap<>(environment)
        .forEach((name, value) -> {
          if (value.isEmpty()) {
            return;
          }
          String path = settings.get(name);
          if (path == null) {
            refuseTable(name);
            warnIfOurs(name);
          } else {
            overrides.add(new SettingOverride(path, value, name));
          }
        });
    return overrides;
  }

  private void refuseTable(String name) {
    String table = tables.get(name);
    if (table != null) {
      throw new ConfigException(
          name
              + ": "
              + table
              + " has several values, which no variable can hold; wanted in a file");
    }
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
    String complaint = "the environment variable " + name + " is no setting of Sluice" + hint;
    if (name.startsWith(SECURITY)) {
      throw new ConfigException(complaint);
    }
    warnings.accept(complaint);
  }

  private static String variable(String path) {
    return PREFIX + path.replace('.', '_').toUpperCase(Locale.ROOT);
  }
}
