package dev.sluice.protocol.v1.http;

import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.VersionStatus;
import java.util.List;

/** What there is to tell of models; each dialect writes the part of it that its clients know. */
public sealed interface V1Report {
  /** All models, sorted by name. */
  record Models(List<String> names) implements V1Report {}

  /** One model's versions, or those that were asked for, ascending. */
  record Versions(String name, List<VersionStatus> versions) implements V1Report {
    /** Whether any of them takes requests. */
    public boolean ready() {
      return versions.stream().anyMatch(version -> version.state() == VersionState.AVAILABLE);
    }
  }

  /** What one version takes and gives. */
  record Metadata(ModelId id, ModelMetadata model) implements V1Report {}
}
