package dev.sluice.scheduling.ensemble;

import dev.sluice.inference.ModelMetadata;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What an ensemble's members make true of it: whether it answers by streams, whether it can answer
 * once all the same, and which parameters of a request it heeds, since each member is asked with
 * those of the ensemble. Immutable.
 *
 * @param members metadata of each step's model
 */
record MemberTraits(List<ModelMetadata> members) {
  /** Returns the ensemble with what its members make true of it. */
  ModelMetadata addTo(ModelMetadata ensemble) {
    ModelMetadata answering =
        ensemble
            .withParameters(parameters())
            .withAnyParameters(members.stream().anyMatch(ModelMetadata::anyParameters))
            .withDecoupled(members.stream().anyMatch(ModelMetadata::decoupled));
    return answersWhole() ? answering.withWhole() : answering;
  }

  private Set<String> parameters() {
    return members.stream()
        .flatMap(member -> member.parameters().stream())
        .collect(Collectors.toSet());
  }

  /** One answer is made of the one answer of each member, so each must be able to give one. */
  private boolean answersWhole() {
    List<ModelMetadata> streaming = members.stream().filter(ModelMetadata::decoupled).toList();
    return !streaming.isEmpty() && streaming.stream().allMatch(ModelMetadata::whole);
  }
}
