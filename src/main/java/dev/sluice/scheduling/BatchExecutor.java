package dev.sluice.scheduling;

import dev.sluice.inference.Signature;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.TensorSpec;
import java.util.List;
import java.util.Map;

/** Runs a model for schedulers, which decide what runs together. Used by one worker. */
public interface BatchExecutor {
  /**
   * Runs the model on these tensors, now, on this thread.
   *
   * @param inputs borrowed
   * @param outputs which outputs to compute, in the order to return them
   * @return one tensor per wanted output, owned by the caller
   * @throws dev.sluice.inference.InferenceException if the model refuses or fails; nothing is left
   *     open
   */
  List<NamedTensor> run(Signature signature, List<NamedTensor> inputs, List<TensorSpec> outputs);

  /**
   * Runs the model as {@link #run(Signature, List, List)} does, and lets it write outputs over
   * inputs, if it can: such an output is a view of its input, which stays the caller's.
   *
   * @param inPlace the outputs that may be written over inputs of their size, with the names of
   *     these
   */
  default List<NamedTensor> run(
      Signature signature,
      List<NamedTensor> inputs,
      List<TensorSpec> outputs,
      Map<String, String> inPlace) {
    return run(signature, inputs, outputs);
  }

  /** Ends the run under way, and any later one, as soon as the model can. Any thread. */
  void interrupt();

  /** Lets later runs be runs again. Any thread. */
  void resume();
}
