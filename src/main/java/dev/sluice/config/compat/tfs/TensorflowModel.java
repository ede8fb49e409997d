package dev.sluice.config.compat.tfs;

import dev.sluice.config.model.VersionPolicyConfig;
import java.util.Map;
import java.util.Optional;

/**
 * A model as a TensorFlow Serving model config file names it. What it says is not yet checked.
 *
 * @param platform what should run it; empty if not said
 * @param modelType the older word for the platform; empty if not said
 * @param versionPolicy empty if not said
 * @param logging empty if not said
 */
public record TensorflowModel(
    String name,
    String basePath,
    String platform,
    String modelType,
    Optional<VersionPolicyConfig> versionPolicy,
    Map<String, Long> labels,
    Optional<TensorflowLogging> logging) {
  public TensorflowModel {
    labels = Map.copyOf(labels);
  }
}
