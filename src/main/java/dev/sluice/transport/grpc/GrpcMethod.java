package dev.sluice.transport.grpc;

import dev.sluice.transport.Body;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;

/**
 * Answers a call that has one request message and one response message.
 *
 * <p>Implementations hold nothing of a call: all of it is in the {@link GrpcCall}.
 */
@FunctionalInterface
public interface GrpcMethod {
  /** For methods whose messages hold no raw tensors. */
  int[] NO_PATH = {};

  /**
   * Answers a call on its event loop; gets the whole message, uncompressed.
   *
   * @param message borrowed until the future is complete; may be closed before
   * @return the response message, or a failure: an {@link dev.sluice.inference.InferenceException}
   *     becomes the status it stands for, anything else INTERNAL
   */
  Future<Buffer> answer(GrpcCall call, Body message);

  /**
   * Returns the tags of the fields, each within the former, that lead to the raw bytes of a tensor.
   * A large message that holds such a field comes in native memory. Empty if none does.
   */
  default int[] tensorPath() {
    return NO_PATH;
  }
}
