package dev.sluice.scheduling.ensemble;

import dev.sluice.inference.ModelMetadata;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.TensorSpec;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What an ensemble's members make true of it: whether it answers by streams, whether one answer can
 * be put together of a stream, and which parameters of a request it heeds, since each member is
 * asked with those of the ensemble. Immutable.
 *
 * @param members metadata of each step's model
 * @param levels which tensors there are once for each response
 */
record MemberTraits(List<ModelMetadata> members, StreamLevels levels) {
  /**
   * Returns the ensemble with what its members make true of it.
   *
   * @param outputs by name, the numbers of its outputs' tensors
   */
  ModelMetadata addTo(ModelMetadata ensemble, Map<String, Integer> outputs) {
    ModelMetadata answering =
        ensemble
            .withParameters(parameters())
            .withAnyParameters(members.stream().anyMatch(ModelMetadata::anyParameters))
            .withDecoupled(members.stream().anyMatch(ModelMetadata::decoupled));
    return answersWhole(ensemble, outputs) ? answering.withWhole() : answering;
  }

  private Set<String> parameters() {
    return members.stream()
        .flatMap(member -> member.parameters().stream())
        .collect(Collectors.toSet());
  }

  /**
   * Texts of a stream are joined for one answer, so there must be one stream whose texts may be
   * joined, and no text that each of its responses repeats.
   */
  private boolean answersWhole(ModelMetadata ensemble, Map<String, Integer> outputs) {
    List<ModelMetadata> streaming = members.stream().filter(ModelMetadata::decoupled).toList();
    return streaming.size() == 1
        && streaming.getFirst().whole()
        && ensemble.signatures().values().stream()
            .flatMap(signature -> signature.outputs().stream())
            .filter(output -> output.type() == DataType.BYTES)
            .allMatch(output -> levels.isStreamed(tensor(output, outputs)));
  }

  private static int tensor(TensorSpec output, Map<String, Integer> outputs) {
    return Objects.requireNonNull(outputs.get(output.name()), "each output has a tensor");
  }
}
