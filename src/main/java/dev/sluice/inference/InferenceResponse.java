package dev.sluice.inference;

import dev.sluice.tensor.NamedTensor;
import java.util.List;
import java.util.Map;

/**
 * A model's answer, or one of those that make a stream. Owns its tensors: the protocol handler that
 * encodes it closes it.
 *
 * @param model the version that really ran
 * @param signature the one that was called
 * @param outputs in the order asked for, or else in the order declared
 * @param parameters what it says besides them, in the order to write them; mostly nothing
 * @param last whether no other follows. A stream may also end without a last one, when what ends it
 *     is known only afterwards
 */
public record InferenceResponse(
    ModelId model,
    Signature signature,
    List<NamedTensor> outputs,
    Map<String, ParameterValue> parameters,
    boolean last)
    implements AutoCloseable {
  /** The whole answer, which may say something besides its tensors. */
  public InferenceResponse(
      ModelId model,
      Signature signature,
      List<NamedTensor> outputs,
      Map<String, ParameterValue> parameters) {
    this(model, signature, outputs, parameters, true);
  }

  /** The whole answer, which says nothing besides its tensors. */
  public InferenceResponse(ModelId model, Signature signature, List<NamedTensor> outputs) {
    this(model, signature, outputs, Map.of());
  }

  /** Returns the number of bytes of its tensors: nearly all of a message that holds them raw. */
  public long byteSize() {
    long bytes = 0;
    for (NamedTensor output : outputs) {
      bytes += output.tensor().byteSize();
    }
    return bytes;
  }

  /**
   * Returns about how many bytes of work it is to encode it: those of its tensors, and a list for
   * each one in shapes that may have many and no element.
   */
  public long work() {
    long work = byteSize();
    for (NamedTensor output : outputs) {
      work += Math.min(output.tensor().shape().listCount(), Integer.MAX_VALUE);
    }
    return work;
  }

  /** Returns the same response with other outputs, for an encoder: closing it closes only those. */
  public InferenceResponse withOutputs(List<NamedTensor> other) {
    return new InferenceResponse(model, signature, other, parameters, last);
  }

  @Override
  public void close() {
    NamedTensor.closeAll(outputs);
  }
}
