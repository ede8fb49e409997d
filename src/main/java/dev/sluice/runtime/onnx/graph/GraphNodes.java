package dev.sluice.runtime.onnx.graph;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Nodes of a model's own graph, in their order, which is one in which they can be computed; and
 * what is known of their values before there is a request. Collects them, since a file names its
 * constants behind the nodes that take them.
 */
final class GraphNodes {
  private final List<Node> nodes = new ArrayList<>();
  private final Set<String> constants = new HashSet<>();
  private final Set<String> inputs = new HashSet<>();

  /**
   * One node.
   *
   * @param inputs names of values; an empty one is left out
   */
  record Node(String domain, String operator, List<String> inputs, List<String> outputs) {}

  void add(Node node) {
    nodes.add(node);
  }

  /** Adds a tensor of the file. */
  void addConstant(String name) {
    constants.add(name);
  }

  /** Adds an input of the graph: what a request may say is not known before. */
  void addInput(String name) {
    inputs.add(name);
  }

  /**
   * Returns whether the shapes of a model's inputs say how much it has to do: each operator is one
   * of {@link ShapeBoundOperators}, and values that sizes depend on follow from constants and
   * shapes.
   */
  boolean areShapeBound() {
    Set<String> known = new HashSet<>(constants);
    known.removeAll(inputs);
    known.add("");
    for (Node node : nodes) {
      if (!isShapeBound(node, known)) {
        return false;
      }
      if (node.operator.equals("Shape")
          || node.operator.equals("Size")
          || known.containsAll(node.inputs)) {
        known.addAll(node.outputs);
      }
    }
    return !nodes.isEmpty();
  }

  private static boolean isShapeBound(Node node, Set<String> known) {
    int sizing =
        Math.min(
            node.inputs.size(), ShapeBoundOperators.firstSizingInput(node.domain, node.operator));
    return ShapeBoundOperators.contains(node.domain, node.operator)
        && known.containsAll(node.inputs.subList(sizing, node.inputs.size()));
  }
}
