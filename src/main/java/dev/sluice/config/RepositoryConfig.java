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

  /**
   * @param runtimes how models are opened if their own settings do not say
   */
  static RepositoryConfig read(Section models, RuntimesConfig runtimes) {
    Path directory =
        models.single("directory").map(RepositoryConfig::path).orElse(DEFAULT.directory());
    return new RepositoryConfig(
        new WantedModels(directory, list(models)),
        models.duration("poll_interval", DEFAULT.pollInterval),
        models.section("loading", LoadingConfig::read),
        models.section("tensorflow_config", TensorflowModelsConfig::read),
        models.section("defaults", defaults -> ModelConfig.readDefaults(defaults, runtimes)));
  }

  private static Map<String, ListedModel> list(Section models) {
    Map<String, ListedModel> list = new LinkedHashMap<>();
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
