package dev.sluice.scheduling.batching;

import dev.sluice.inference.LoopStep;
import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Outputs that a run may write over its inputs: caches of decode steps. */
final class InPlaceOutputs {
  private InPlaceOutputs() {}

  /** Returns the names of such outputs of a batch, with those of the inputs. */
  static Map<String, String> of(List<PendingRequest> members) {
    LoopStep.Padding padding = members.getFirst().request().padding();
    return padding == null ? Map.of() : padding.inPlace();
  }

  /**
   * Returns the outputs of a run, of which those that lie where an input does are that input: it is
   * taken from the inputs, which are to be closed.
   */
  static List<NamedTensor> taken(
      List<NamedTensor> outputs, List<NamedTensor> inputs, Map<String, String> inPlace) {
    if (inPlace.isEmpty()) {
      return outputs;
    }
    var taken = new ArrayList<NamedTensor>(outputs.size());
    for (int i = 0; i < outputs.size(); i++) {
      NamedTensor output = outputs.get(i);
      String name = inPlace.get(output.name());
      Tensor input = name == null ? null : take(name, output.tensor(), inputs);
      taken.add(input == null ? output : new NamedTensor(output.name(), input));
    }
    return taken;
  }

  private static @Nullable Tensor take(String name, Tensor output, List<NamedTensor> inputs) {
    for (int i = 0; i < inputs.size(); i++) {
      Tensor input = inputs.get(i).tensor();
      if (inputs.get(i).name().equals(name) && input.data().address() == output.data().address()) {
        inputs.remove(i);
        return input;
      }
    }
    return null;
  }
}
