package dev.sluice.inference;

import dev.sluice.tensor.NamedTensor;
import java.util.List;

/**
 * A model's answer. Owns its tensors: the face that encodes it closes it.
 *
 * @param model the version that really ran
 * @param signature the one that was called
 * @param outputs in the order asked for, or else in the order declared
 */
public record InferenceResponse(ModelId model, Signature signature, List<NamedTensor> outputs)
    implements AutoCloseable {
  @Override
  public void close() {
    NamedTensor.closeAll(outputs);
  }
}
