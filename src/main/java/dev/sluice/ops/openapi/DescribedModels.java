package dev.sluice.ops.openapi;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.control.ControlPlane;
import dev.sluice.inference.control.VersionStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The models that a document is about: those that the caller may know of, and no more than a
 * document can hold.
 *
 * <p>Of one request; one thread.
 */
final class DescribedModels {
  /** Weight of all versions that a document describes: some 5 MB of JSON. */
  private static final int MOST_WEIGHT = 10_000;

  /** Names that a document lists; where there are more, it lists none. */
  private static final int MOST_NAMES = 500;

  private final DataPlane data;
  private final ControlPlane control;
  private final Caller caller;
  private final Optional<String> only;
  private final List<DescribedVersion> versions = new ArrayList<>();
  private int weight;
  private int omitted;

  private DescribedModels(
      DataPlane data, ControlPlane control, Caller caller, Optional<String> only) {
    this.data = data;
    this.control = control;
    this.caller = caller;
    this.only = only;
  }

  /**
   * Reads them.
   *
   * @param only the model that is wanted; empty for all
   */
  static DescribedModels read(
      DataPlane data, ControlPlane control, Caller caller, Optional<String> only) {
    var models = new DescribedModels(data, control, caller, only);
    models.names(Operation.MODEL_METADATA).forEach(models::add);
    return models;
  }

  /** Returns the names of models on which the caller may do an operation. */
  List<String> names(Operation operation) {
    List<String> names = control.models(caller, operation);
    return only.map(name -> names.stream().filter(name::equals).toList()).orElse(names);
  }

  /** Returns whether names are to be listed. */
  static boolean areFew(List<String> names) {
    return names.size() <= MOST_NAMES;
  }

  /**
   * Returns versions of models on which the caller may do an operation, as far as there is room.
   */
  List<DescribedVersion> versions(Operation operation) {
    return versions.stream().filter(version -> caller.may(operation, version.model())).toList();
  }

  /** Returns the number of versions for which there was no room. */
  int omitted() {
    return omitted;
  }

  private void add(String model) {
    OptionalLong latest = latest(model);
    Map<String, Long> labels = control.labels(model);
    for (VersionStatus status : statuses(model)) {
      if (status.state() == VersionState.AVAILABLE) {
        List<String> own =
            labels.entrySet().stream()
                .filter(label -> label.getValue() == status.version())
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
        boolean isLatest = latest.isPresent() && latest.getAsLong() == status.version();
        metadata(new ModelSelector.Version(model, status.version()))
            .map(found -> new DescribedVersion(model, status.version(), isLatest, own, found))
            .ifPresent(this::add);
      }
    }
  }

  private void add(DescribedVersion version) {
    if (weight + version.weight() > MOST_WEIGHT) {
      omitted++;
    } else {
      weight += version.weight();
      versions.add(version);
    }
  }

  private List<VersionStatus> statuses(String model) {
    try {
      return control.versions(model).orElse(List.of());
    } catch (InferenceException _) {
      // It is not known yet which there are.
      return List.of();
    }
  }

  private OptionalLong latest(String model) {
    return find(new ModelSelector.Latest(model))
        .map(lease -> OptionalLong.of(lease.read(found -> found.id().version())))
        .orElseGet(OptionalLong::empty);
  }

  private Optional<ModelMetadata> metadata(ModelSelector selector) {
    return find(selector).map(lease -> lease.read(ModelLease::metadata));
  }

  private Optional<ModelLease> find(ModelSelector selector) {
    return switch (data.find(selector, caller, Operation.MODEL_METADATA)) {
      case ModelLookup.Found(ModelLease lease) -> Optional.of(lease);
      case ModelLookup.Missed _ -> Optional.empty();
    };
  }
}
