package dev.sluice.boot;

import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.VersionStatus;
import java.util.Locale;
import java.util.Optional;

/**
 * One version of a model, as the command line shows it.
 *
 * @param model its name
 * @param version how far it is; empty if the model has no version at all
 * @param metadata what it says of itself, while it takes requests
 */
record ModelLine(String model, Optional<VersionStatus> version, Optional<ModelMetadata> metadata) {
  boolean isAvailable() {
    return version.filter(status -> status.state() == VersionState.AVAILABLE).isPresent();
  }

  /** Whether something is wrong with it, even if an older load of it still serves. */
  boolean hasFailed() {
    return !isAvailable() || problem().isPresent();
  }

  String number() {
    return version.map(status -> Long.toString(status.version())).orElse("-");
  }

  String state() {
    return version
        .map(status -> status.state().name().toLowerCase(Locale.ROOT))
        .orElse("no version");
  }

  Optional<String> problem() {
    return version.flatMap(VersionStatus::error).map(VersionStatus.Failure::message);
  }
}
