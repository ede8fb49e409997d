package dev.sluice.config;

import java.nio.file.Path;
import java.time.Duration;
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
  public RepositoryConfig {
    models = Map.copyOf(models);
  }
}
