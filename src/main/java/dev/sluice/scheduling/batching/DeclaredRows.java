package dev.sluice.scheduling.batching;

import dev.sluice.inference.CompositeTensor;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The first dimensions of inputs and outputs as a model declares them. Requests join only if these
 * can all be the batch dimension: rows of an output that are no rows of the inputs would be answers
 * to other callers' requests.
 *
 * <p>A name that is used once says nothing, since exporters make names up. Nor does a declaration
 * say that rows do not depend on each other: that is the promise of the operator who sets {@code
 * max_batch_size}.
 */
final class DeclaredRows {
  private DeclaredRows() {}

  /** Returns why requests of a signature cannot be joined; empty if they can. */
  static Optional<String> obstacle(Signature signature) {
    Optional<String> composite =
        composite("input", signature.compositeInputs())
            .or(() -> composite("output", signature.compositeOutputs()));
    if (composite.isPresent()) {
      return composite;
    }
    for (TensorSpec input : signature.inputs()) {
      if (!canBeOpen(input.shape())) {
        return Optional.of("input '%s' is declared as %s".formatted(input.name(), input.shape()));
      }
    }
    for (TensorSpec output : signature.outputs()) {
      if (!canBeOpen(output.shape())) {
        return Optional.of(
            "output '%s' is declared as %s".formatted(output.name(), output.shape()));
      }
    }
    return differentNames(signature).or(() -> strangeOutput(signature));
  }

  /**
   * Returns the obstacle of a composite tensor: the first dimension of a component is not that of
   * the tensor.
   */
  private static Optional<String> composite(String what, Map<String, CompositeTensor> tensors) {
    return tensors.entrySet().stream()
        .findFirst()
        .map(found -> "%s '%s' is a %s".formatted(what, found.getKey(), found.getValue().kind()));
  }

  private static boolean canBeOpen(Shape shape) {
    return !shape.isRankKnown() || (shape.rank() > 0 && shape.dim(0) == Shape.ANY);
  }

  /** Two inputs whose first dimensions are different ones, as a name shows that is used again. */
  private static Optional<String> differentNames(Signature signature) {
    Set<String> seen = new HashSet<>();
    List<String> again =
        Stream.of(signature.inputs(), signature.outputs())
            .flatMap(List::stream)
            .flatMap(spec -> spec.dimensionNames().stream())
            .filter(name -> !seen.add(name))
            .toList();
    Set<String> rows = new TreeSet<>();
    signature.inputs().forEach(input -> rows.add(first(input)));
    rows.remove("");
    return rows.size() > 1 && rows.stream().anyMatch(again::contains)
        ? Optional.of("the first dimensions of its inputs are " + rows)
        : Optional.empty();
  }

  /** Returns an output whose first dimension is another dimension of an input. */
  private static Optional<String> strangeOutput(Signature signature) {
    Set<String> rows = new HashSet<>();
    Set<String> others = new HashSet<>();
    for (TensorSpec input : signature.inputs()) {
      rows.add(first(input));
      input.dimensionNames().stream().skip(1).forEach(others::add);
    }
    others.removeAll(rows);
    others.remove("");
    for (TensorSpec output : signature.outputs()) {
      if (others.contains(first(output))) {
        return Optional.of(
            "the first dimension of output '%s' is '%s', which is not that of an input"
                .formatted(output.name(), first(output)));
      }
    }
    return Optional.empty();
  }

  private static String first(TensorSpec spec) {
    return spec.dimensionNames().isEmpty() ? "" : spec.dimensionNames().getFirst();
  }
}
