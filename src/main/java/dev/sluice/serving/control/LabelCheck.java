package dev.sluice.serving.control;

import dev.sluice.config.model.ListedModel;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.VersionState;
import dev.sluice.repository.ModelRepository;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Checks that labels name versions that take requests now, so that a request by a label always
 * finds a version.
 *
 * @param newMayWait whether a label that a model does not have yet may name any version
 */
record LabelCheck(ModelRepository repository, boolean newMayWait) {
  /**
   * @throws InferenceException with FAILED_PRECONDITION, in TensorFlow Serving's words
   */
  void require(Map<String, ListedModel> wanted) {
    new TreeMap<>(wanted).forEach((name, model) -> require(name, model.labels()));
  }

  private void require(String model, Map<String, Long> labels) {
    Map<String, Long> before = repository.labels(model);
    new TreeMap<>(labels)
        .forEach((label, version) -> {
          Long former = before.get(label);
          boolean free = former == null ? newMayWait : former.equals(version);
          if (!free && !isAvailable(model, version)) {
            throw new InferenceException(
                ErrorCode.FAILED_PRECONDITION,
                ("Request to assign label to version %d of model %s, which is not currently"
                        + " available for inference")
                    .formatted(version, model));
          }
        });
  }

  private boolean isAvailable(String model, long version) {
    return repository.versions(model).orElse(List.of()).stream()
        .anyMatch(
            status -> status.version() == version && status.state() == VersionState.AVAILABLE);
  }
}
