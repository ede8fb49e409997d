package dev.sluice.runtime.onnx;

import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which shapes a model's outputs had for which shapes of its inputs. A run whose inputs have been
 * seen can be given memory for its outputs: the runtime's own is behind a lock that whoever frees
 * it, mostly an event loop, would take too. One thread at a time.
 *
 * <p>It may be wrong where values decide about shapes. The runtime then refuses the memory, and
 * {@link #distrust} ends this for good.
 */
final class KnownShapes {
  /** As many kinds of runs are remembered. */
  private static final int PLACES = 64;

  /** Runs of other kinds after which one takes the place of an older kind. */
  private static final int PATIENCE = 16;

  /** What a run took and gave. */
  private record Seen(
      List<String> names, List<Shape> inputs, List<TensorSpec> outputs, List<Shape> shapes) {
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

  private final @Nullable Seen[] runs = new Seen[PLACES];
  private int strangers;
  private boolean trusted = true;

  /** The shapes that the outputs of such a run will have; null if that is not known. */
  @Nullable List<Shape> find(List<NamedTensor> inputs, List<TensorSpec> outputs) {
    Seen seen = trusted ? runs[place(inputs)] : null;
    return seen != null && seen.matches(inputs, outputs) ? seen.shapes : null;
  }

  /** Remembers a run, unless one of its outputs cannot be given memory. */
  void add(List<NamedTensor> inputs, List<TensorSpec> outputs, List<NamedTensor> results) {
    for (int i = 0; i < results.size(); i++) {
      Tensor tensor = results.get(i).tensor();
      if (tensor.type() == DataType.BYTES || tensor.elementCount() == 0) {
        return;
      }
    }
    int place = place(inputs);
    if (trusted && (runs[place] == null || ++strangers % PATIENCE == 0)) {
      runs[place] =
          new Seen(
              inputs.stream().map(NamedTensor::name).toList(),
              shapes(inputs),
              List.copyOf(outputs),
              shapes(results));
    }
  }

  private static List<Shape> shapes(List<NamedTensor> tensors) {
    return tensors.stream().map(named -> named.tensor().shape()).toList();
  }

  /** The model's shapes are not to be known beforehand. */
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
