package dev.sluice.runtime;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.TensorSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A session whose outputs may have so many bytes and no more. A larger one is freed before it is
 * split, encoded or passed to another model.
 *
 * <p>Owner of the session that it stands before. Threads: as of that session.
 */
public final class LimitedSession extends ForwardingSession {
  private final long maxOutputSize;

  /**
   * Stands before a session, which it takes over.
   *
   * @param maxOutputSize bytes of each output of a run
   */
  public LimitedSession(ModelSession session, long maxOutputSize) {
    super(session);
    this.maxOutputSize = maxOutputSize;
  }

  @Override
  public Optional<ModelSession> share() {
    return session.share().map(shared -> new LimitedSession(shared, maxOutputSize));
  }

  @Override
  public RunTimeBasis runTimeBasis() {
    return session.runTimeBasis();
  }

  @Override
  public List<NamedTensor> run(
      Signature signature, List<NamedTensor> inputs, List<TensorSpec> outputs) {
    return limited(session.run(signature, inputs, outputs));
  }

  @Override
  public List<NamedTensor> run(
      Signature signature,
      List<NamedTensor> inputs,
      List<TensorSpec> outputs,
      Map<String, String> inPlace) {
    return limited(session.run(signature, inputs, outputs, inPlace));
  }

  private List<NamedTensor> limited(List<NamedTensor> results) {
    for (int i = 0; i < results.size(); i++) {
      NamedTensor result = results.get(i);
      if (result.tensor().byteSize() > maxOutputSize) {
        InferenceException refusal = refusal(result);
        NamedTensor.closeAll(results);
        throw refusal;
      }
    }
    return results;
  }

  private InferenceException refusal(NamedTensor output) {
    return InferenceException.invalid(
        "output '%s' of shape %s has %d bytes, more than the %d of limits.max_output_size"
            .formatted(
                output.name(), output.tensor().shape(), output.tensor().byteSize(), maxOutputSize));
  }
}
