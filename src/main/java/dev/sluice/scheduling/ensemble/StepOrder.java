package dev.sluice.scheduling.ensemble;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Puts steps behind those whose tensors they take.
 *
 * <p>Steps that wait for each other are rejected, by name.
 */
final class StepOrder {
  private StepOrder() {}

  /**
   * Returns the same steps in an order in which they could run. Refuses steps that wait for each
   * other.
   */
  static List<EnsembleStep> of(String ensemble, List<EnsembleStep> steps) {
    var unwritten = new BitSet();
    steps.forEach(step -> step.outputs().forEach(output -> unwritten.set(output.tensor())));
    List<EnsembleStep> left = new ArrayList<>(steps);
    List<EnsembleStep> ordered = new ArrayList<>();
    while (!left.isEmpty()) {
      List<EnsembleStep> ready =
          left.stream()
              .filter(
                  step -> step.inputs().stream().noneMatch(input -> unwritten.get(input.tensor())))
              .toList();
      if (ready.isEmpty()) {
        throw EnsembleGraphBuilder.refused(
            "ensemble '%s': steps wait for each other: %s"
                .formatted(
                    ensemble,
                    left.stream().map(EnsembleStep::text).collect(Collectors.joining(", "))));
      }
      ready.forEach(step -> step.outputs().forEach(output -> unwritten.clear(output.tensor())));
      ordered.addAll(ready);
      left.removeAll(ready);
    }
    return ordered;
  }
}
