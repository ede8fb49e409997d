package dev.sluice.runtime.onnx.graph;

import java.util.Set;

/**
 * What a model's file tells of its runs.
 *
 * @param wholeOutputs names of values that are first outputs of the operators of {@link
 *     FullyWritingOperators}
 * @param shapeBound whether shapes alone say how much a run has to do: {@link ShapeBoundOperators}
 */
public record GraphFacts(Set<String> wholeOutputs, boolean shapeBound) {
  /** Nothing is known. */
  static final GraphFacts NONE = new GraphFacts(Set.of(), false);

  public GraphFacts {
    wholeOutputs = Set.copyOf(wholeOutputs);
  }

  /** Returns the same of a model whose runs take other times for other reasons. */
  public GraphFacts withoutShapeBound() {
    return new GraphFacts(wholeOutputs, false);
  }
}
