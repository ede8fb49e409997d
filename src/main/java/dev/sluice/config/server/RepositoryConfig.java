package dev.sluice.config.server;

import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;
import dev.sluice.config.model.ListedModel;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.RuntimesConfig;
import dev.sluice.config.security.RemotePath;
import dev.sluice.config.security.TrustConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The model repository: folders, control, and how it is polled.
 *
 * @param wanted the folders of models, and models that are named one by one
 * @param control who decides which of them are served
 * @param pollInterval interval at which the folders are polled; 0s: once, at the start, and on
 *     SIGHUP
 * @param loading how versions are loaded and replaced
 * @param tensorflow the models as a TensorFlow Serving model config file lists them
 * @param trust from where models may be loaded, and which may be code
 * @param defaults settings of models whose {@code model.yml} leaves them out
 * @param rateLimit whether runs wait for resources, as Triton's rate limiter has it
 */
public record RepositoryConfig(
    DesiredModels wanted,
    ControlConfig control,
    Duration pollInterval,
    LoadingConfig loading,
    TensorflowModelsConfig tensorflow,
    TrustConfig trust,
    ModelConfig defaults,
    RateLimitConfig rateLimit) {
  public static final RepositoryConfig DEFAULT =
      new RepositoryConfig(
          new DesiredModels(Path.of("models"), Map.of()),
          ControlConfig.DEFAULT,
          Duration.ofSeconds(1),
          LoadingConfig.DEFAULT,
          TensorflowModelsConfig.DEFAULT,
          TrustConfig.DEFAULT,
          ModelConfig.DEFAULT,
          RateLimitConfig.DEFAULT);

  /** Returns the defaults with other models. */
  public static RepositoryConfig of(DesiredModels wanted, Duration pollInterval) {
    return new RepositoryConfig(
        wanted,
        DEFAULT.control,
        pollInterval,
        DEFAULT.loading,
        DEFAULT.tensorflow,
        DEFAULT.trust,
        DEFAULT.defaults,
        DEFAULT.rateLimit);
  }

  /** Returns the same settings for other models. */
  public RepositoryConfig withWanted(DesiredModels other) {
    return new RepositoryConfig(
        other, control, pollInterval, loading, tensorflow, trust, defaults, rateLimit);
  }

  /** Returns the same settings with another way to decide what is served. */
  public RepositoryConfig withControl(ControlConfig other) {
    return new RepositoryConfig(
        wanted, other, pollInterval, loading, tensorflow, trust, defaults, rateLimit);
  }

  /**
   * Returns the effective poll interval of the folders; zero if they are polled on request only.
   */
  public Duration effectivePollInterval() {
    return control.mode() == ControlConfig.Mode.POLL ? pollInterval : Duration.ZERO;
  }

  /**
   * @param runtimes how models are opened if their own settings do not say
   * @param others models that are there anyhow, by name
   */
  public static RepositoryConfig read(
      Section models, RuntimesConfig runtimes, Map<String, ListedModel> others) {
    List<Path> directories =
        models
            .single(
                "directory", "a folder, or a list of them", DEFAULT.wanted.directories().getFirst())
            .map(RepositoryConfig::paths)
            .orElse(others.isEmpty() ? DEFAULT.wanted.directories() : List.of());
    return new RepositoryConfig(
        new DesiredModels(directories, list(models, others)),
        ControlConfig.read(models),
        models.duration("poll_interval", DEFAULT.pollInterval),
        models.section("loading", LoadingConfig::read),
        models.section("tensorflow_config", TensorflowModelsConfig::read),
        // Who wrote a deployment's files named the folders of its code.
        TrustConfig.read(models)
            .withPluginFolders(others.values().stream().map(ListedModel::folder).toList()),
        models.section("defaults", defaults -> ModelConfig.readDefaults(defaults, runtimes)),
        models.section("rate_limit", RateLimitConfig::read));
  }

  private static Map<String, ListedModel> list(Section models, Map<String, ListedModel> others) {
    Map<String, ListedModel> list = new LinkedHashMap<>(others);
    models
        .value("list")
        .map(Setting::named)
        .orElse(Map.of())
        .forEach((name, folder) -> list.put(name, ListedModel.in(path(folder))));
    return list;
  }

  private static List<Path> paths(Setting setting) {
    return setting.each().stream().map(RepositoryConfig::path).toList();
  }

  private static Path path(Setting setting) {
    String text = setting.text();
    if (text.isBlank() || text.indexOf('\0') >= 0) {
      throw setting.wanted("a folder");
    }
    if (RemotePath.is(text)) {
      throw setting.wanted(RemotePath.WANTED);
    }
    return Path.of(text);
  }
}
