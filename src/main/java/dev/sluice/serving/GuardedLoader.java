package dev.sluice.serving;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.inference.ModelId;
import dev.sluice.repository.LoadedModel;
import dev.sluice.repository.Loader;
import java.nio.file.Path;

/**
 * Loads what a caller named only from where that may lie. Symbolic links are looked at when the
 * version is loaded, since they may have changed after the caller was answered, and once more when
 * it is open, since they may have changed meanwhile.
 *
 * @param loader loads a version
 * @param policy from where
 */
public record GuardedLoader(Loader loader, LoadPolicy policy) implements Loader {
  @Override
  public LoadedModel load(ModelId id, Path folder, ModelConfig config) {
    policy.requireLoad(id, folder);
    LoadedModel model = loader.load(id, folder, config);
    try {
      policy.requireLoad(id, folder);
    } catch (RuntimeException e) {
      model.close();
      throw e;
    }
    return model;
  }
}
