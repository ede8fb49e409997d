package dev.sluice.repository;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.inference.ModelId;
import java.nio.file.Path;

/**
 * Opens versions of models. The repository never loads the same version twice at once, and never
 * closes a model that is still in use.
 */
public interface Loader {
  /**
   * Opens a model and warms it up. Blocks, often for seconds; runs on a loading worker, several at
   * once for different versions.
   *
   * @param folder holds the model's files; the model's own folder if they lie directly in it
   * @return owned by the repository, which closes it
   * @throws dev.sluice.inference.InferenceException with a text that names the file and the fault;
   *     nothing is left open
   */
  LoadedModel load(ModelId id, Path folder, ModelConfig config);
}
