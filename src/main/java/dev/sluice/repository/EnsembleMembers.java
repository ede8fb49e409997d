package dev.sluice.repository;

import dev.sluice.config.model.EnsembleConfig;
import dev.sluice.config.model.EnsembleConfig.Step;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.control.VersionStatus.Failure;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The models as ensembles need them. Touched only under the repository's lock. */
record EnsembleMembers(Map<String, TrackedModel> models) {
  /** Readiness of the members of an ensemble. */
  sealed interface Readiness {
    /** All of it, in the order of the steps. */
    record Ready(List<EnsembleMember> members) implements Readiness {}

    /** Not yet. */
    record Waiting() implements Readiness {}

    /** It will not be there unless something changes. */
    record Missing(Failure why) implements Readiness {}
  }

  /**
   * Returns the models in order of dependency: each after those it is composed of, so that one plan
   * sees the outcome of the others.
   */
  Collection<TrackedModel> inOrder() {
    Set<TrackedModel> ordered = new LinkedHashSet<>();
    models.values().forEach(model -> add(model, ordered, new LinkedHashSet<>()));
    return ordered;
  }

  private void add(TrackedModel model, Set<TrackedModel> ordered, Set<String> above) {
    if (ordered.contains(model) || !above.add(model.name())) {
      return;
    }
    for (Step step : steps(model.name())) {
      TrackedModel member = models.get(step.model());
      if (member != null) {
        add(member, ordered, above);
      }
    }
    above.remove(model.name());
    ordered.add(model);
  }

  private List<Step> steps(String model) {
    TrackedModel known = models.get(model);
    return known == null
        ? List.of()
        : known.ensemble().map(EnsembleConfig::steps).orElse(List.of());
  }

  /**
   * Returns the readiness of a model's members; READY without any for a model that is no ensemble.
   */
  Readiness of(String model) {
    Optional<String> circle = circle(model, new LinkedHashSet<>());
    if (circle.isPresent()) {
      return missing("ensemble '" + model + "' contains itself: " + circle.get());
    }
    List<EnsembleMember> members = new ArrayList<>();
    boolean waiting = false;
    for (Step step : steps(model)) {
      TrackedModel member = models.get(step.model());
      if (member == null) {
        return missing(model, step, "there is no such model");
      }
      switch (member.asMember(step.version())) {
        case Readiness.Ready(var ready) -> members.addAll(ready);
        case Readiness.Waiting _ -> waiting = true;
        case Readiness.Missing(Failure why) -> {
          return missing(model, step, why.message());
        }
      }
    }
    return waiting ? new Readiness.Waiting() : new Readiness.Ready(List.copyOf(members));
  }

  private Optional<String> circle(String model, Set<String> above) {
    if (!above.add(model)) {
      return Optional.of(String.join(" -> ", above) + " -> " + model);
    }
    for (Step step : steps(model)) {
      Optional<String> circle = circle(step.model(), above);
      if (circle.isPresent()) {
        return circle;
      }
    }
    above.remove(model);
    return Optional.empty();
  }

  private static Readiness missing(String ensemble, Step step, String why) {
    String version = step.version() == EnsembleConfig.LATEST ? "" : " version " + step.version();
    return missing(
        "ensemble '%s' depends on '%s'%s: %s".formatted(ensemble, step.model(), version, why));
  }

  private static Readiness missing(String text) {
    return new Readiness.Missing(new Failure(ErrorCode.FAILED_PRECONDITION, text));
  }
}
