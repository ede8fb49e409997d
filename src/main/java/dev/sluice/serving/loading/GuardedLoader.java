package dev.sluice.serving.loading;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.repository.LoadedModel;
import dev.sluice.repository.Loader;
import dev.sluice.serving.control.FolderState;
import dev.sluice.serving.control.LoadPolicy;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Loads what a caller named only from where that may lie. Symbolic links are looked at when the
 * version is loaded, since they may have changed after the caller was answered. Runtimes open files
 * by their names, so a model is served only if no file, link or folder on the way to it has changed
 * until it was open.
 *
 * @param loader loads a version
 * @param policy from where
 */
public record GuardedLoader(Loader loader, LoadPolicy policy) implements Loader {
  @Override
  public LoadedModel load(ModelId id, Path folder, ModelConfig config) {
    Optional<FolderState> before = policy.requireLoad(id, folder);
    LoadedModel model = loader.load(id, folder, config);
    try {
      if (!policy.requireLoad(id, folder).equals(before)) {
        throw new InferenceException(
            ErrorCode.UNAVAILABLE,
            "model %s: files in %s changed while they were loaded".formatted(id, folder));
      }
    } catch (RuntimeException e) {
      model.close();
      throw e;
    }
    return model;
  }
}
