package dev.sluice.serving.warmup;

import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.inference.control.RecordedRequests;
import dev.sluice.runtime.ModelSession;
import dev.sluice.serving.RequestValidator;
import dev.sluice.tensor.TensorSpec;
import java.nio.file.Path;
import java.util.List;

/**
 * Runs a session with requests that were recorded beside its files: a version that fails on one of
 * them does not come up.
 */
public record RecordedWarmUp(ModelSession session, ModelId id) implements RecordedRequests.Run {
  /** A version that is not available to requests yet. */
  private record NotInUse(ModelId id, ModelMetadata metadata) implements ModelLease {
    @Override
    public void release() {}
  }

  /**
   * Runs each as often as wanted.
   *
   * @return how many there are
   */
  public int run(RecordedRequests recorded, Path folder, int iterations) {
    return recorded.replay(folder, new NotInUse(id, session.metadata()), iterations, this);
  }

  @Override
  public InferenceResponse answer(InferenceRequest request) {
    try (request) {
      RequestValidator.require(request);
      Signature signature = request.signature();
      return new InferenceResponse(
          id, signature, session.run(signature, request.inputs(), outputs(request)));
    }
  }

  private static List<TensorSpec> outputs(InferenceRequest request) {
    Signature signature = request.signature();
    return request.outputs().isEmpty()
        ? signature.supportedOutputs()
        : request.outputs().stream().flatMap(name -> signature.output(name).stream()).toList();
  }
}
