package dev.sluice.transport.grpc.method;

import dev.sluice.transport.Body;
import io.vertx.core.Future;

/**
 * Answers a call by any number of messages to any number of messages.
 *
 * <p>Half-closing, cancelling and backpressure are the transport's: a method sees messages in
 * order, and an end.
 */
@FunctionalInterface
public interface GrpcStreamMethod {
  /**
   * Begins a call. On its event loop, as is what follows.
   *
   * @param call takes the answers
   * @return takes the messages
   */
  Messages open(GrpcStreamCall call);

  /** The client's messages, in order. */
  interface Messages {
    /**
     * Takes a message, uncompressed.
     *
     * @param message not to be changed; the caller's no more
     * @return complete when the next message may come: until then the client has to wait. A failure
     *     ends the call with the status that it stands for
     */
    Future<?> take(Body message);

    /** Called when the client has sent its last message. */
    void end();

    /**
     * Ends the call if no message of it is under way, or else as soon as none is: the server stops,
     * and the client is to go on elsewhere. Does nothing where a call ends by itself.
     */
    default void stop() {}

    /** Returns whether a message has been taken whose answers are not all written. */
    default boolean isUnderWay() {
      return false;
    }
  }
}
