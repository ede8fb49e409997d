package dev.sluice.protocol.v1.http;

import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelProblem;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.control.VersionStatus;
import java.util.List;
import java.util.Optional;

/** A report on models; each dialect writes the part of it that its clients know. */
public sealed interface V1Report {
  /** All models, sorted by name. */
  record Models(List<String> names) implements V1Report {}

  /**
   * One model's versions, or those that were asked for, ascending.
   *
   * @param versions none if the model has none of those
   * @param problem why the model is not ready although a version of it is loaded
   * @param absence why the model has no version at all, if there is more to say
   */
  record Versions(
      String name,
      List<VersionStatus> versions,
      Optional<ModelProblem> problem,
      Optional<String> absence)
      implements V1Report {
    /** Returns whether any of them takes requests. */
    public boolean ready() {
      return problem.isEmpty()
          && versions.stream().anyMatch(version -> version.state() == VersionState.AVAILABLE);
    }
  }

  /** The signatures of one version. */
  record Metadata(ModelId id, ModelMetadata model) implements V1Report {}
}
