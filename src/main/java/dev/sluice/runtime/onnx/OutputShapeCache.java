package dev.sluice.runtime.onnx;

import dev.sluice.inference.Signature;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Cache of the shapes that a model's outputs had for the shapes of its inputs. A run whose inputs
 * have been seen can be given memory for its outputs: the runtime's own is behind a lock that every
 * thread that frees it, mostly an event loop, would take too. One thread at a time.
 *
 * <p>An output that is an input too, an optional one as well, is never given memory: the runtime
 * returns the input itself and writes nothing.
 *
 * <p>It may be wrong where values decide about shapes. The runtime then refuses the memory, and
 * {@link #distrust} ends this for good.
 */
final class OutputShapeCache {
  /** Number of kinds of runs that are cached. */
  private static final int PLACES = 64;

  /** Runs of other kinds after which one takes the place of an older kind. */
  private static final int RELEARN_INTERVAL = 16;

  /** The shapes of one kind of runs. */
  private record Seen(
      List<String> names,
      List<Shape> inputs,
      List<TensorSpec> outputs,
      List<@Nullable Shape> shapes) {
    boolean matches(List<NamedTensor> given, List<TensorSpec> wanted) {
      if (given.size() != inputs.size() || !outputs.equals(wanted)) {
        return false;
      }
      for (int i = 0; i < inputs.size(); i++) {
        NamedTensor input = given.get(i);
        if (!inputs.get(i).equals(input.tensor().shape()) || !names.get(i).equals(input.name())) {
          return false;
        }
      }
      return true;
    }
  }

  /** The inputs' names in the graph. */
  private final Set<String> inputNames;

  private final @Nullable Seen[] runs = new Seen[PLACES];
  private int unknownShapes;
  private boolean trusted = true;

  OutputShapeCache(Signature signature) {
    this.inputNames =
        signature.inputs().stream().map(TensorSpec::nativeName).collect(Collectors.toSet());
  }

  /**
   * Returns the shapes that the outputs of such a run will have, null for an output that is not to
   * be given memory, and none at all if no output is; null if the run is not known.
   */
  @Nullable List<@Nullable Shape> find(List<NamedTensor> inputs, List<TensorSpec> outputs) {
    Seen seen = trusted ? runs[place(inputs)] : null;
    return seen != null && seen.matches(inputs, outputs) ? seen.shapes : null;
  }

  /** Remembers a run. */
  void add(List<NamedTensor> inputs, List<TensorSpec> outputs, List<NamedTensor> results) {
    int place = place(inputs);
    if (trusted && (runs[place] == null || ++unknownShapes % RELEARN_INTERVAL == 0)) {
      runs[place] =
          new Seen(
              inputs.stream().map(NamedTensor::name).toList(),
              inputs.stream().map(input -> input.tensor().shape()).toList(),
              List.copyOf(outputs),
              shapes(outputs, results));
    }
  }

  private List<@Nullable Shape> shapes(List<TensorSpec> outputs, List<NamedTensor> results) {
    if (outputs.stream().map(TensorSpec::nativeName).distinct().count() < outputs.size()) {
      return List.of();
    }
    var shapes = new ArrayList<@Nullable Shape>(outputs.size());
    for (int i = 0; i < outputs.size(); i++) {
      Tensor tensor = results.get(i).tensor();
      boolean isInput = inputNames.contains(outputs.get(i).nativeName());
      shapes.add(!isInput && PinnedOutputs.canPin(tensor) ? tensor.shape() : null);
    }
    return shapes.stream().allMatch(Objects::isNull) ? List.of() : shapes;
  }

  /** Marks the model's shapes as not to be known beforehand. */
  void distrust() {
    trusted = false;
  }

  private static int place(List<NamedTensor> inputs) {
    int hash = 0;
    for (int i = 0; i < inputs.size(); i++) {
      hash = 31 * hash + inputs.get(i).tensor().shape().hashCode();
    }
    return (hash ^ (hash >>> 16)) & (PLACES - 1);
  }
}
