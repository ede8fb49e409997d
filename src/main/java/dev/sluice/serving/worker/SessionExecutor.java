package dev.sluice.serving.worker;

import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.scheduling.BatchExecutor;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.TensorSpec;
import java.util.List;
import java.util.Map;

/**
 * A session as those see it who decide what runs together.
 *
 * <p>Narrow on purpose: schedulers decide which requests run together and need nothing else of a
 * session.
 */
public record SessionExecutor(ModelSession session) implements BatchExecutor {
  @Override
  public List<NamedTensor> run(
      Signature signature, List<NamedTensor> inputs, List<TensorSpec> outputs) {
    return session.run(signature, inputs, outputs);
  }

  @Override
  public List<NamedTensor> run(
      Signature signature,
      List<NamedTensor> inputs,
      List<TensorSpec> outputs,
      Map<String, String> inPlace) {
    return session.run(signature, inputs, outputs, inPlace);
  }

  @Override
  public void interrupt() {
    session.interrupt();
  }

  @Override
  public void resume() {
    session.resume();
  }
}
