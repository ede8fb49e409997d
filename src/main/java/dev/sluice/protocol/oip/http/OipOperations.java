package dev.sluice.protocol.oip.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Operation;
import dev.sluice.transport.http.HttpRoute;
import dev.sluice.transport.http.PathCache;
import dev.sluice.transport.http.PathOperations;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Maps the paths under {@code /v2} to operations.
 *
 * @param paths reads them
 * @param shared whether shared memory is served
 */
record OipOperations(PathCache<OipPath> paths, boolean shared) implements PathOperations {
  @Override
  public List<HttpRoute> routes() {
    return Arrays.stream(OipPath.Resource.values())
        .filter(resource -> shared || !resource.isShared())
        .flatMap(resource ->
            resource.methods().stream()
                .map(method -> new HttpRoute(method, resource.path(), resource.operation())))
        .toList();
  }

  @Override
  public @Nullable Operation of(String path) {
    try {
      OipPath.Resource resource = paths.read(path).resource();
      return shared || !resource.isShared() ? resource.operation() : null;
    } catch (InferenceException _) {
      return null;
    }
  }

  @Override
  public @Nullable String template(String path) {
    try {
      OipPath read = paths.read(path);
      return shared || !read.resource().isShared() ? read.template() : null;
    } catch (InferenceException _) {
      return null;
    }
  }
}
