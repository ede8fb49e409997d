package dev.sluice.inference;

import io.vertx.core.Future;

/** The door to the models: find one, ask it. Every protocol walks through it. */
public interface DataPlane {
  /** Looks a model up and lends it. Never blocks; any thread. */
  Lookup find(ModelSelector selector);

  /**
   * Looks a model up for one request to it: {@link #find}, if the model is not overloaded. Asked
   * before the request's tensors are decoded, so that refusing costs little. The loan counts as a
   * request until it is released.
   *
   * @throws InferenceException with RESOURCE_EXHAUSTED and {@link InferenceException#retryAfter} if
   *     too many requests are there already
   */
  default Lookup admit(ModelSelector selector) {
    return find(selector);
  }

  /**
   * Answers a request, later.
   *
   * <p>Called on an event loop; the future completes on the same one. Takes the request over: its
   * tensors are freed and its model is given back, whatever happens. Fails with an {@link
   * InferenceException}. The response belongs to the caller of this method.
   */
  Future<InferenceResponse> infer(InferenceRequest request);
}
