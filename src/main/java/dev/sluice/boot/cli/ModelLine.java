package dev.sluice.boot.cli;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup.Found;
import dev.sluice.inference.ModelLookup.NotReady;
import dev.sluice.inference.ModelLookup.UnknownLabel;
import dev.sluice.inference.ModelLookup.UnknownModel;
import dev.sluice.inference.ModelLookup.UnknownVersion;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.control.ControlPlane;
import dev.sluice.inference.control.VersionStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * One version of a model, as the command line shows it.
 *
 * @param model its name
 * @param version how far it is; empty if the model has no version at all
 * @param metadata what it says of itself, while it takes requests
 */
public record ModelLine(
    String model, Optional<VersionStatus> version, Optional<ModelMetadata> metadata) {
  /** Returns all versions of all models there are. */
  public static List<ModelLine> all(ControlPlane control, DataPlane data) {
    List<ModelLine> lines = new ArrayList<>();
    for (String model : control.models()) {
      List<VersionStatus> versions = control.versions(model).orElse(List.of());
      versions.forEach(status -> lines.add(of(model, status, data)));
      if (versions.isEmpty()) {
        lines.add(new ModelLine(model, Optional.empty(), Optional.empty()));
      }
    }
    return lines;
  }

  private static ModelLine of(String model, VersionStatus status, DataPlane data) {
    Optional<ModelMetadata> metadata =
        switch (data.find(
            new ModelSelector.Version(model, status.version()),
            Caller.SERVER,
            Operation.MODEL_METADATA)) {
          case Found(ModelLease found) -> Optional.of(found.read(ModelLease::metadata));
          case UnknownModel _, UnknownVersion _, UnknownLabel _, NotReady _ -> Optional.empty();
        };
    return new ModelLine(model, Optional.of(status), metadata);
  }

  boolean isAvailable() {
    return version.filter(status -> status.state() == VersionState.AVAILABLE).isPresent();
  }

  /** Returns whether something is wrong with it, even if an older load of it still serves. */
  boolean hasFailed() {
    return !isAvailable() || problem().isPresent();
  }

  /** Returns the selector of the version, if it takes requests. */
  public Optional<ModelSelector> selector() {
    return metadata
        .flatMap(_ -> version)
        .map(status -> new ModelSelector.Version(model, status.version()));
  }

  /** Returns the version's number as it is shown. */
  public String number() {
    return version.map(status -> Long.toString(status.version())).orElse("-");
  }

  String state() {
    return version.map(ModelLine::state).orElse("no version");
  }

  private static String state(VersionStatus status) {
    return status.state() == VersionState.END && status.error().isPresent()
        ? "failed"
        : status.state().name().toLowerCase(Locale.ROOT);
  }

  Optional<String> problem() {
    return version.flatMap(VersionStatus::error).map(VersionStatus.Failure::message);
  }
}
