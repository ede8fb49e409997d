package dev.sluice.serving.stream;

import dev.sluice.inference.InferenceResponse;
import org.jspecify.annotations.Nullable;

/**
 * Measures one stream: the events that {@link ResponseStream} reports, in order. Of the reader's
 * event loop.
 */
public interface StreamMeter {
  /** Measures nothing. */
  StreamMeter NONE = new StreamMeter() {};

  /** Called before the reader's demand reaches the model. */
  default void requested(long count) {}

  /** Called when the model has made a response. */
  default void made(InferenceResponse response) {}

  /** Called when the reader has taken a response. */
  default void sent() {}

  /** Called when the reader cancels, before the model is cancelled. */
  default void cancelling() {}

  /**
   * Called once, when the stream has ended, before the reader is notified.
   *
   * @param end one of the final states
   * @param failure why; null if it has not failed
   */
  default void ended(StreamState end, @Nullable Throwable failure) {}
}
