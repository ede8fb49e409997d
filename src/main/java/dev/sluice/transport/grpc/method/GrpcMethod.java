package dev.sluice.transport.grpc.method;

import dev.sluice.transport.Body;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.List;

/**
 * Answers a call that has one request message and one response message.
 *
 * <p>Implementations hold nothing of a call: all of it is in the {@link GrpcCall}.
 */
@FunctionalInterface
public interface GrpcMethod {
  /**
   * Answers a call on its event loop; gets the whole message, uncompressed.
   *
   * @param message borrowed until the future is complete; may be closed before
   * @return the response message, or a failure: an {@link dev.sluice.inference.InferenceException}
   *     becomes the status it stands for, anything else INTERNAL
   */
  Future<Buffer> answer(GrpcCall call, Body message);

  /**
   * Returns the paths to the raw bytes of a tensor: the tags of fields, each within the former. A
   * large message that holds such a field comes in native memory. Empty if none does.
   */
  default List<int[]> tensorPaths() {
    return List.of();
  }
}
