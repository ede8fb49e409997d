package dev.sluice.scheduling.queue;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import org.jspecify.annotations.Nullable;

/** Receives the result of a queued request. */
public interface Recipient {
  /**
   * Sees what was decided, on the thread that decided it, mostly the model's worker.
   *
   * @return whether anything is to be delivered
   */
  default boolean onCompletion(PendingRequest completed) {
    return true;
  }

  /**
   * Gets what was decided, on the event loop that asked. The response is the recipient's.
   *
   * @param response null for a failure, or for a stream's mere end
   */
  void deliver(@Nullable InferenceResponse response, @Nullable InferenceException failure);

  /**
   * Stops waiting for what is under way and cannot be stopped. What is delivered later is dropped.
   * On the event loop that asked.
   */
  default void giveUp(InferenceException why) {}
}
