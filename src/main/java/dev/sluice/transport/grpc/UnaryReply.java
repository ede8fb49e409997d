package dev.sluice.transport.grpc;

import io.vertx.core.buffer.Buffer;
import java.time.Duration;

/**
 * Writes the answer of a call that has one message each way. Later answers, and those to callers
 * who left, are dropped. Belongs to the event loop of the connection.
 */
interface UnaryReply {
  /** Returns the body of a good answer. Any thread; work that takes time for a long text. */
  Buffer frame(Buffer message);

  /** Sends what {@link #frame} made. */
  void succeed(Buffer framed);

  /** Sends a status other than OK, and a text. */
  void fail(int status, String text);

  /** Names the message encodings that a next call may use. */
  void acceptEncodings();

  /** Has the answer say more in its trailers. Before it is framed. */
  void trailer(CharSequence name, String value);

  /** Says when a next call may work, in the words of gRPC's retries and in those of HTTP. */
  void retryAfter(Duration time);
}
