package dev.sluice.transport.grpc;

import dev.sluice.transport.Body;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;

/** Answers a call that has one request message and one response message. */
@FunctionalInterface
public interface GrpcMethod {
  /**
   * Called on the call's event loop with the whole message, uncompressed.
   *
   * @return the response message, or a failure: an {@link dev.sluice.inference.InferenceException}
   *     becomes the status it stands for, anything else INTERNAL
   */
  Future<Buffer> answer(GrpcCall call, Body message);
}
