package dev.sluice.protocol.v1.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.access.Operation;
import dev.sluice.protocol.v1.http.V1Request.Verb;
import dev.sluice.transport.http.HttpRoute;
import dev.sluice.transport.http.PathCache;
import dev.sluice.transport.http.PathOperations;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Maps the paths under {@code /v1} to operations.
 *
 * @param paths reads them
 */
record V1Operations(PathCache<Optional<V1Request>> paths) implements PathOperations {
  private static final String MODELS = "/v1/models";
  private static final String MODEL = MODELS + "/{model}";
  private static final ModelSelector ANY = new ModelSelector.Latest("{model}");

  @Override
  public List<HttpRoute> routes() {
    Stream<HttpRoute> calls =
        Arrays.stream(Verb.values())
            .map(verb ->
                route(
                    MODEL + ":" + verb.name().toLowerCase(Locale.ROOT),
                    new V1Request.Call(ANY, verb)));
    Stream<HttpRoute> others =
        Stream.of(
            route(MODELS, new V1Request.Index()),
            route(MODEL, new V1Request.Status(ANY)),
            route(MODEL + "/metadata", new V1Request.Metadata(ANY)));
    return Stream.concat(others, calls).toList();
  }

  private static HttpRoute route(String path, V1Request request) {
    return new HttpRoute(request.method().name(), path, request.operation());
  }

  @Override
  public @Nullable Operation of(String path) {
    try {
      return paths.read(path).map(V1Request::operation).orElse(null);
    } catch (InferenceException _) {
      return null;
    }
  }
}
