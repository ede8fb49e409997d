package dev.sluice.ops.openapi;

import dev.sluice.inference.ModelMetadata;
import java.util.List;

/**
 * A version that takes requests.
 *
 * @param number the version
 * @param latest whether it is meant where no version is named
 * @param labels that mean it
 * @param metadata what it says of itself
 */
record DescribedVersion(
    String model, long number, boolean latest, List<String> labels, ModelMetadata metadata) {
  DescribedVersion {
    labels = List.copyOf(labels);
  }

  /** Returns its name in documents, before {@link ComponentNames} makes it one of a component. */
  String text() {
    return model + "." + number;
  }

  /** Returns the weight that it has in a document: its tensors, and the length of their names. */
  int weight() {
    return 1
        + metadata.signatures().values().stream()
            .mapToInt(signature ->
                1
                    + signature.inputs().stream()
                        .mapToInt(spec -> 1 + spec.name().length() / 64)
                        .sum()
                    + signature.outputs().stream()
                        .mapToInt(spec -> 1 + spec.name().length() / 64)
                        .sum())
            .sum();
  }
}
