package dev.sluice.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Where models are.
 *
 * @param directory its sub-folders are models; may be missing or empty if {@code models} names some
 * @param models further models by name, each with its own folder
 * @param pollInterval how often the folders are looked at; zero: once, at the start
 * @param defaults settings for models, where their {@code model.yml} says nothing
 */
public record RepositoryConfig(
    Path directory, Map<String, Path> models, Duration pollInterval, ModelConfig defaults) {
  public static final RepositoryConfig DEFAULT =
      new RepositoryConfig(Path.of("models"), Map.of(), Duration.ofSeconds(1), ModelConfig.DEFAULT);

  public RepositoryConfig {
    models = Map.copyOf(models);
  }

  /** No folder of models: all there are have folders of their own. */
  private static final Path NOWHERE = Path.of("");

  /**
   * @param runtimes how models are opened if their own settings do not say
   * @param others models that are there anyhow, by name
   */
  static RepositoryConfig read(Section models, RuntimesConfig runtimes, Map<String, Path> others) {
    return new RepositoryConfig(
        models
            .single("directory")
            .map(RepositoryConfig::path)
            .orElse(others.isEmpty() ? DEFAULT.directory : NOWHERE),
        list(models, others),
        models.duration("poll_interval", DEFAULT.pollInterval),
        models.section("defaults", defaults -> ModelConfig.readDefaults(defaults, runtimes)));
  }

  private static Map<String, Path> list(Section models, Map<String, Path> others) {
    Map<String, Path> list = new LinkedHashMap<>(others);
    models
        .value("list")
        .map(Setting::named)
        .orElse(Map.of())
        .forEach((name, folder) -> list.put(name, path(folder)));
    return list;
  }

  private static Path path(Setting setting) {
    String text = setting.text();
    if (text.isBlank() || text.indexOf('\0') >= 0) {
      throw setting.wanted("a folder");
    }
    return Path.of(text);
  }
}
