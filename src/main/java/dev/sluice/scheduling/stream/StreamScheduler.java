package dev.sluice.scheduling.stream;

import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import java.util.concurrent.Flow;

/** Decides when the responses of a stream are made. */
public interface StreamScheduler {
  /**
   * Answers a request by a stream, as {@link dev.sluice.inference.DataPlane#inferStream} says.
   *
   * <p>Called on an event loop, where the subscriber lives. Takes the request over: whatever
   * happens, it is closed. Fails with RESOURCE_EXHAUSTED, before anything else, if there are too
   * many streams or too many requests wait.
   *
   * @param subscriber ends once, whatever it is called with afterwards; closes responses that come
   *     later, requests one response at least, and throws nothing
   */
  void stream(InferenceRequest request, Flow.Subscriber<? super InferenceResponse> subscriber);
}
