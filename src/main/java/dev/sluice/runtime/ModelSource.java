package dev.sluice.runtime;

import dev.sluice.config.model.RuntimesConfig;
import dev.sluice.inference.ModelId;
import java.nio.file.Path;

/**
 * A model on disk and how to open it.
 *
 * @param id for texts
 * @param folder the version's folder
 * @param settings the runtimes' settings as they apply to this model
 */
public record ModelSource(ModelId id, Path folder, RuntimesConfig settings) {
  /** Returns the same with other settings. */
  public ModelSource with(RuntimesConfig other) {
    return new ModelSource(id, folder, other);
  }
}
