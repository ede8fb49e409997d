package dev.sluice.transport;

import io.vertx.core.buffer.Buffer;

/**
 * A response that is sent in chunks, with backpressure. Of the call's event loop.
 *
 * <p>Implementations buffer nothing themselves: {@link #isWriteQueueFull} is the transport's own
 * watermark.
 */
public interface ClientStream {
  /**
   * Returns whether the client applies backpressure: what is written now would be buffered here.
   */
  boolean isWriteQueueFull();

  /** Runs the action as soon as the client has caught up. One action; another replaces it. */
  void onWritable(Runnable action);

  /** Sends a piece. Does nothing if the caller disconnected. */
  void write(Buffer piece);

  /** Ends the answer well. */
  void end();

  /** Ends the answer with a failure, in the protocol's words. */
  void fail(Throwable failure);
}
