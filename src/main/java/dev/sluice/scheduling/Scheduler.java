package dev.sluice.scheduling;

import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import io.vertx.core.Future;

/** Decides when a request runs. */
public interface Scheduler {
  /**
   * Lets a request wait its turn.
   *
   * <p>Called on an event loop; the future completes there. Takes the request over: whatever
   * happens, it is closed. Fails with RESOURCE_EXHAUSTED at once if too many wait already, with
   * DEADLINE_EXCEEDED or CANCELLED if the request is abandoned when its turn comes.
   */
  Future<InferenceResponse> submit(InferenceRequest request);

  /** Refuses new requests and answers everything still waiting with UNAVAILABLE. */
  void close();
}
