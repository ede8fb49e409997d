package dev.sluice.protocol.oip.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.Operation;
import dev.sluice.transport.http.HttpRoute;
import dev.sluice.transport.http.KnownPaths;
import dev.sluice.transport.http.PathOperations;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the paths under {@code /v2} ask for.
 *
 * @param paths reads them
 */
record OipOperations(KnownPaths<OipPath> paths) implements PathOperations {
  @Override
  public List<HttpRoute> routes() {
    return Arrays.stream(OipPath.Resource.values())
        .flatMap(resource ->
            resource.methods().stream()
                .map(method -> new HttpRoute(method, resource.path(), resource.operation())))
        .toList();
  }

  @Override
  public @Nullable Operation of(String path) {
    try {
      return paths.read(path).resource().operation();
    } catch (InferenceException _) {
      return null;
    }
  }
}
