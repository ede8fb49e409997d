package dev.sluice.scheduling;

import dev.sluice.inference.Signature;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.TensorSpec;
import java.util.List;

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

  /** Ends the run under way, and any later one, as soon as the model can. Any thread. */
  void interrupt();

  /** Lets later runs be runs again. Any thread. */
  void resume();
}
