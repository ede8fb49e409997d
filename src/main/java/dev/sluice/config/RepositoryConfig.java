package dev.sluice.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Where models are.
 *
 * @param wanted the folders of models, and models that are named one by one
 * @param pollInterval how often the folders are looked at; zero: once, at the start
 * @param loading how versions are loaded and replaced
 * @param tensorflow the models as a TensorFlow Serving model config file lists them
 * @param defaults settings for models, where their {@code model.yml} says nothing
 */
public record RepositoryConfig(
    WantedModels wanted,
    Duration pollInterval,
    LoadingConfig loading,
    TensorflowModelsConfig tensorflow,
    ModelConfig defaults) {
  public static final RepositoryConfig DEFAULT =
      new RepositoryConfig(
          new WantedModels(Path.of("models"), Map.of()),
          Duration.ofSeconds(1),
          LoadingConfig.DEFAULT,
          TensorflowModelsConfig.DEFAULT,
          ModelConfig.DEFAULT);

  /** The defaults with other models. */
  public static RepositoryConfig of(WantedModels wanted, Duration pollInterval) {
    return new RepositoryConfig(
        wanted, pollInterval, DEFAULT.loading, DEFAULT.tensorflow, DEFAULT.defaults);
  }

  /** The same settings for other models. */
  public RepositoryConfig withWanted(WantedModels other) {
    return new RepositoryConfig(other, pollInterval, loading, tensorflow, defaults);
  }

  /** Its sub-folders are models; may be missing or empty if there are others. */
  public Path directory() {
    return wanted.directory();
  }

  /** No folder of models: all there are have folders of their own. */
  private static final Path NOWHERE = Path.of("");

  /**
   * @param runtimes how models are opened if their own settings do not say
   * @param others models that are there anyhow, by name
   */
  static RepositoryConfig read(Section models, RuntimesConfig runtimes, Map<String, Path> others) {
    Path directory =
        models
            .single("directory")
            .map(RepositoryConfig::path)
            .orElse(others.isEmpty() ? DEFAULT.directory() : NOWHERE);
    return new RepositoryConfig(
        new WantedModels(directory, list(models, others)),
        models.duration("poll_interval", DEFAULT.pollInterval),
        models.section("loading", LoadingConfig::read),
        models.section("tensorflow_config", TensorflowModelsConfig::read),
        models.section("defaults", defaults -> ModelConfig.readDefaults(defaults, runtimes)));
  }

  private static Map<String, ListedModel> list(Section models, Map<String, Path> others) {
    Map<String, ListedModel> list = new LinkedHashMap<>();
    others.forEach((name, folder) -> list.put(name, ListedModel.in(folder)));
    models
        .value("list")
        .map(Setting::named)
        .orElse(Map.of())
        .forEach((name, folder) -> list.put(name, ListedModel.in(path(folder))));
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
