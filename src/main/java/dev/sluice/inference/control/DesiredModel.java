package dev.sluice.inference.control;

import java.util.Map;
import java.util.Optional;

/**
 * A model that should be served, in the words of TensorFlow Serving's model config.
 *
 * @param name what clients call it
 * @param basePath the folder that holds its versions: an absolute path
 * @param platform what runs it; there, only {@code tensorflow}
 * @param modelType the older word for the platform; empty if it was not used
 * @param versions which versions to serve; empty: what the model's own settings say
 * @param labels movable names for versions; empty: what the model's own settings say
 */
public record DesiredModel(
    String name,
    String basePath,
    String platform,
    String modelType,
    Optional<VersionChoice> versions,
    Map<String, Long> labels) {
  public DesiredModel {
    labels = Map.copyOf(labels);
  }
}
