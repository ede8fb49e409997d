package dev.sluice.protocol.openai.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Operation;
import dev.sluice.transport.http.HttpRoute;
import dev.sluice.transport.http.PathCache;
import dev.sluice.transport.http.PathOperations;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Maps the paths below a claimed prefix to operations.
 *
 * @param paths reads them
 * @param prefix the claimed one
 */
record OpenAiOperations(PathCache<OpenAiPath> paths, String prefix) implements PathOperations {
  @Override
  public List<HttpRoute> routes() {
    return Arrays.stream(OpenAiPath.Resource.values())
        .map(each -> new HttpRoute(each.method(), root() + each.path(), each.operation()))
        .filter(route -> route.path().startsWith(prefix))
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

  @Override
  public @Nullable String template(String path) {
    try {
      return root() + paths.read(path).resource().path();
    } catch (InferenceException _) {
      return null;
    }
  }

  private String root() {
    return prefix.startsWith(OpenAiPath.PREFIX) ? OpenAiPath.PREFIX : "/v1";
  }
}
