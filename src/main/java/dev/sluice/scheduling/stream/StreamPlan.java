package dev.sluice.scheduling.stream;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;

/** Plan of streams: starts those of one model. Any thread. */
@FunctionalInterface
public interface StreamPlan {
  /**
   * Returns the number of bytes that {@link #start} fills. If they are many it is called on a
   * worker.
   */
  default long work() {
    return 0;
  }

  /**
   * Begins a stream. No model has run yet, and little may be done here: it is an event loop, unless
   * there is much {@link #work}.
   *
   * @param request stays the caller's, open for longer than the steps are
   * @throws InferenceException if the request cannot be answered by a stream
   */
  StreamSteps start(InferenceRequest request);
}
