package dev.sluice.transport.netty.vertx;

import io.vertx.core.http.HttpServerResponse;

/**
 * Backpressure of one response, which may be asked about at any time: Vert.x throws once a response
 * has ended, though writes complete, and models answer, after that. Of the connection's event loop.
 *
 * @param response that is written to
 */
public record PacedResponse(HttpServerResponse response) {
  /** Returns whether anything may still be written. */
  public boolean isOpen() {
    return !response.ended() && !response.closed();
  }

  /** Returns whether the client applies backpressure; it applies none to what has ended. */
  public boolean isWriteQueueFull() {
    return isOpen() && response.writeQueueFull();
  }

  /** Runs the action when the client has caught up; never if the response has ended. */
  public void onWritable(Runnable action) {
    if (isOpen()) {
      response.drainHandler(_ -> action.run());
    }
  }
}
