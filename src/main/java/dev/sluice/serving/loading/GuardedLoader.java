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
import org.jspecify.annotations.Nullable;

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
  /** Folders above a model change when others are put beside it. */
  private static final int MOST_ATTEMPTS = 5;

  @Override
  public LoadedModel load(ModelId id, Path folder, ModelConfig config) {
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      LoadedModel model = loadUnchanged(id, folder, config);
      if (model != null) {
        return model;
      }
    }
    throw new InferenceException(
        ErrorCode.UNAVAILABLE,
        "model %s: files in %s changed while they were loaded".formatted(id, folder));
  }

  /** Returns null if something changed meanwhile. */
  private @Nullable LoadedModel loadUnchanged(ModelId id, Path folder, ModelConfig config) {
    Optional<FolderState> before = policy.requireLoad(id, folder);
    LoadedModel model = loader.load(id, folder, config);
    boolean unchanged = false;
    try {
      unchanged = policy.requireLoad(id, folder).equals(before);
    } finally {
      if (!unchanged) {
        model.close();
      }
    }
    return unchanged ? model : null;
  }
}
