package dev.sluice.scheduling.ensemble;

import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.TensorSpec;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The tensors of an ensemble and the steps that they lead to. Immutable, and known to be sound:
 * every tensor is written once, and no step waits for itself. Made by {@link EnsembleGraphBuilder}.
 */
public final class EnsembleGraph {
  private final String name;
  private final ModelMetadata metadata;
  private final List<EnsembleStep> steps;
  private final StreamLevels levels;
  private final List<String> tensors;
  private final Map<String, Integer> numbers = new HashMap<>();
  private final Map<String, Integer> outputs;
  private final BitSet hinted;
  private final BitSet written;
  private final int[] waits;
  private final Route everything;

  /** The steps that some of the outputs need. */
  static final class Route {
    private final BitSet steps;
    private final int[] takers;

    private Route(BitSet steps, int[] takers) {
      this.steps = steps;
      this.takers = takers;
    }

    /** Returns whether this step runs. */
    boolean has(int step) {
      return steps.get(step);
    }

    /** Returns how often each tensor is taken, by steps that run and by the answer. A copy. */
    int[] takers() {
      return takers.clone();
    }
  }

  /**
   * @param steps each after those whose tensors it takes
   * @param levels of the steps
   * @param tensors their names by number
   * @param outputs the numbers of the ensemble's outputs by their names, which may be others
   * @param hinted the numbers of tensors whose writers' shapes are only hints
   */
  EnsembleGraph(
      String name,
      ModelMetadata metadata,
      List<EnsembleStep> steps,
      StreamLevels levels,
      List<String> tensors,
      Map<String, Integer> outputs,
      BitSet hinted) {
    this.name = name;
    this.metadata = metadata;
    this.steps = List.copyOf(steps);
    this.levels = levels;
    this.tensors = List.copyOf(tensors);
    this.outputs = Map.copyOf(outputs);
    this.hinted = (BitSet) hinted.clone();
    for (int i = 0; i < tensors.size(); i++) {
      numbers.put(tensors.get(i), i);
    }
    this.written = new BitSet();
    steps.forEach(step -> step.outputs().forEach(output -> written.set(output.tensor())));
    this.waits = steps.stream().mapToInt(this::waits).toArray();
    this.everything = route(outputs());
  }

  /** Counts what a step takes from other steps. What a request leaves out is not waited for. */
  private int waits(EnsembleStep step) {
    return (int) step.inputs().stream().filter(input -> isWritten(input.tensor())).count();
  }

  /** Returns whether a step writes this tensor; else a request brings it, or leaves it out. */
  boolean isWritten(int tensor) {
    return written.get(tensor);
  }

  /** Returns whether this tensor may have another shape than its writer declares. */
  boolean isHinted(int tensor) {
    return hinted.get(tensor);
  }

  /** Returns how many tensors each step waits for before it can begin. A copy. */
  int[] waits() {
    return waits.clone();
  }

  String name() {
    return name;
  }

  /** Returns the ensemble as a model. */
  public ModelMetadata metadata() {
    return metadata;
  }

  List<EnsembleStep> steps() {
    return steps;
  }

  /** Returns which steps run once, and which for each response of a step before them. */
  StreamLevels levels() {
    return levels;
  }

  /** Returns the models that are asked, each as often as it is. */
  public List<ModelSelector> members() {
    return steps.stream().map(EnsembleStep::member).toList();
  }

  int tensorCount() {
    return tensors.size();
  }

  /** Returns the number of a tensor that there is. */
  int number(String tensor) {
    return numbers.getOrDefault(tensor, -1);
  }

  /** Returns the number of the tensor that is an output. */
  int outputNumber(String output) {
    return outputs.getOrDefault(output, -1);
  }

  private List<String> outputs() {
    Signature signature = metadata.signatures().values().iterator().next();
    return signature.outputs().stream().map(TensorSpec::name).toList();
  }

  /** Returns the outputs that are meant by those a request names. */
  List<String> wanted(List<String> named) {
    return named.isEmpty() ? outputs() : named;
  }

  /** Returns the way to the outputs that a request names; to all if it names none. */
  Route routeTo(List<String> named) {
    return named.isEmpty() ? everything : route(named);
  }

  private Route route(List<String> outputs) {
    int[] takers = new int[tensors.size()];
    outputs.forEach(output -> takers[outputNumber(output)]++);
    var needed = new BitSet();
    for (int i = steps.size() - 1; i >= 0; i--) {
      EnsembleStep step = steps.get(i);
      if (step.outputs().stream().anyMatch(output -> takers[output.tensor()] > 0)) {
        needed.set(i);
        step.inputs().forEach(input -> takers[input.tensor()]++);
      }
    }
    return new Route(needed, takers);
  }
}
