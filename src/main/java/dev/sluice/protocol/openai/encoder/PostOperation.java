package dev.sluice.protocol.openai.encoder;

import dev.sluice.inference.access.Operation;
import dev.sluice.transport.http.HttpRoute;
import dev.sluice.transport.http.PathOperations;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One path that is asked for inference; nothing is below it.
 *
 * @param path in full
 */
record PostOperation(String path) implements PathOperations {
  @Override
  public List<HttpRoute> routes() {
    return List.of(new HttpRoute(EncoderHttpHandler.POST, path, Operation.INFER));
  }

  @Override
  public @Nullable Operation of(String asked) {
    return asked.equals(path) ? Operation.INFER : null;
  }
}
