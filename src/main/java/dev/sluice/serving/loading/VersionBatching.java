package dev.sluice.serving.loading;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.compat.tfs.TensorflowBatchingFile;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.repository.LoadedModel;
import dev.sluice.repository.Loader;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * Lets a version say by a file of its own how its requests run together, as TensorFlow Serving does
 * with {@code --enable_per_model_batching_parameters}.
 *
 * @param loader loads it with these settings
 * @param warnings receives those that have no meaning here
 */
public record VersionBatching(Loader loader, Consumer<String> warnings) implements Loader {
  @Override
  public LoadedModel load(ModelId id, Path folder, ModelConfig config) {
    return loader.load(id, folder, batching(folder, config));
  }

  private ModelConfig batching(Path folder, ModelConfig config) {
    try {
      return TensorflowBatchingFile.ofVersion(folder, config, warnings);
    } catch (ConfigException e) {
      throw new InferenceException(
          ErrorCode.FAILED_PRECONDITION, String.valueOf(e.getMessage()), e);
    }
  }
}
