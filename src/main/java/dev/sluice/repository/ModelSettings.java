package dev.sluice.repository;

import dev.sluice.config.model.ModelConfig;
import java.nio.file.Path;

/** Reads the settings of one model. */
@FunctionalInterface
public interface ModelSettings {
  /**
   * Reads {@code model.yml} in the model's folder; the defaults if there is none. Blocks; called by
   * {@link ModelRepository#scan}.
   *
   * @throws dev.sluice.inference.InferenceException with a text that names the file and the fault
   */
  ModelConfig read(Path modelFolder);
}
