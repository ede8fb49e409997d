package dev.sluice.repository;

import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.inference.control.VersionStatus.Failure;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * One model as requests see it. Immutable, with every answer made beforehand, so that looking one
 * up allocates nothing when it succeeds.
 */
final class ModelView {
  /** The states of a version that takes no requests, the nearest to taking some first. */
  private static final List<VersionState> NEAREST_FIRST =
      List.of(VersionState.LOADING, VersionState.START, VersionState.UNLOADING, VersionState.END);

  private final String name;
  private final long[] numbers;
  private final ModelLookup[] answers;
  private final ModelLookup latest;
  private final VersionLabels labels;
  private final List<VersionStatus> statuses;
  private final String withoutVersion;

  private ModelView(
      String name, VersionLabels labels, List<TrackedVersion> versions, String withoutVersion) {
    this.withoutVersion = withoutVersion;
    this.name = name;
    this.labels = labels;
    this.statuses = versions.stream().map(TrackedVersion::status).toList();
    this.numbers = statuses.stream().mapToLong(VersionStatus::version).toArray();
    this.answers = versions.stream().map(this::answer).toArray(ModelLookup[]::new);
    this.latest = highestFound();
  }

  /** Returns the model as it is now. Called under the repository's lock. */
  static ModelView of(TrackedModel model) {
    return new ModelView(
        model.name(),
        new VersionLabels(model.name(), model.labels()),
        List.copyOf(listed(model.versions())),
        model.withoutVersion().orElse("no version was found"));
  }

  /** Returns the versions to report; a load that was abandoned is not among them. */
  private static List<TrackedVersion> listed(Collection<TrackedVersion> versions) {
    return versions.stream()
        .filter(v -> v.served() || v.failed() || !v.is(VersionState.END))
        .toList();
  }

  private ModelLookup answer(TrackedVersion version) {
    LiveVersion live = version.live();
    return version.is(VersionState.AVAILABLE) && live != null
        ? new ModelLookup.Found(live)
        : notReady(version.status().version(), version.status());
  }

  private ModelLookup highestFound() {
    for (int i = answers.length - 1; i >= 0; i--) {
      if (answers[i] instanceof ModelLookup.Found) {
        return answers[i];
      }
    }
    return noneFound();
  }

  private ModelLookup noneFound() {
    VersionStatus nearest = null;
    for (VersionStatus status : statuses) {
      if (nearest == null || distance(status) <= distance(nearest)) {
        nearest = status;
      }
    }
    return nearest == null
        ? new ModelLookup.NotReady(name, -1, VersionState.START, withoutVersion)
        : notReady(-1, nearest);
  }

  private static int distance(VersionStatus status) {
    return NEAREST_FIRST.indexOf(status.state());
  }

  private ModelLookup notReady(long version, VersionStatus status) {
    return new ModelLookup.NotReady(name, version, status.state(), reason(status));
  }

  private static String reason(VersionStatus status) {
    String what =
        switch (status.state()) {
          case START -> "is waiting to be loaded";
          case LOADING -> "is loading";
          case AVAILABLE -> "takes requests";
          case UNLOADING -> "is unloading";
          case END -> status.error().map(Failure::message).orElse("was unloaded");
        };
    return status.error().isPresent() ? what : "version " + status.version() + " " + what;
  }

  ModelLookup latest() {
    return latest;
  }

  ModelLookup version(long number) {
    int place = Arrays.binarySearch(numbers, number);
    return place < 0 ? new ModelLookup.UnknownVersion(name, number) : answers[place];
  }

  ModelLookup label(String label) {
    return labels.find(label, this::version);
  }

  VersionLabels labels() {
    return labels;
  }

  List<VersionStatus> statuses() {
    return statuses;
  }

  /** Returns whether the actual state is the desired one: no version is loading or about to. */
  boolean isReconciled() {
    return statuses.stream()
        .noneMatch(v -> v.state() == VersionState.START || v.state() == VersionState.LOADING);
  }
}
