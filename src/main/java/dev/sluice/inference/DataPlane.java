package dev.sluice.inference;

import io.vertx.core.Future;

/** The door to the models: find one, ask it. Every protocol walks through it. */
public interface DataPlane {
  /** Looks a model up and lends it. Never blocks; any thread. */
  Lookup find(ModelSelector selector);

  /**
   * Answers a request, later.
   *
   * <p>Called on an event loop; the future completes on the same one. Takes the request over: its
   * tensors are freed and its model is given back, whatever happens. Fails with an {@link
   * InferenceException}. The response belongs to the caller of this method.
   */
  Future<InferenceResponse> infer(InferenceRequest request);
}
