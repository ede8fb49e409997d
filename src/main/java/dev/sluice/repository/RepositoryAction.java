package dev.sluice.repository;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.inference.ModelId;
import java.nio.file.Path;

/** An action outside the repository's lock, towards the desired state. */
sealed interface RepositoryAction {
  record Load(ModelId id, Path folder, ModelConfig config) implements RepositoryAction {}

  /** Tries a load that failed again, after a while. */
  record Retry(ModelId id) implements RepositoryAction {}

  /** Announces that a version takes requests, once lookups find it. */
  record Announce(ModelId id) implements RepositoryAction {}

  /** Releases the repository's own lease. */
  record Retire(LiveVersion live) implements RepositoryAction {}
}
