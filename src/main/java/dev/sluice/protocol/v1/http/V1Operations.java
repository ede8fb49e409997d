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
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Maps the paths under {@code /v1} to operations.
 *
 * @param paths reads them
 * @param spoken whether a dialect of the listener has such a request
 */
record V1Operations(PathCache<Optional<V1Request>> paths, Predicate<V1Request> spoken)
    implements PathOperations {
  private static final String MODELS = "/v1/models";
  private static final String MODEL = MODELS + "/{model}";
  private static final String METADATA = "/metadata";
  private static final ModelSelector ANY = new ModelSelector.Latest("{model}");

  @Override
  public List<HttpRoute> routes() {
    Stream<HttpRoute> calls =
        Arrays.stream(Verb.values())
            .map(verb -> route(MODEL + behind(verb), new V1Request.Call(ANY, verb)));
    Stream<HttpRoute> others =
        Stream.of(
            route(MODELS, new V1Request.Index()),
            route(MODEL, new V1Request.Status(ANY)),
            route(MODEL + METADATA, new V1Request.Metadata(ANY)));
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

  @Override
  public @Nullable String template(String path) {
    try {
      return paths.read(path).filter(spoken).map(V1Operations::template).orElse(null);
    } catch (InferenceException _) {
      return null;
    }
  }

  private static @Nullable String template(V1Request request) {
    return switch (request) {
      case V1Request.Index _ -> MODELS;
      case V1Request.Nameless _ -> null;
      case V1Request.Status(var model) -> template(model);
      case V1Request.Metadata(var model) -> template(model) + METADATA;
      case V1Request.Call(var model, var verb) -> template(model) + behind(verb);
    };
  }

  private static String template(ModelSelector model) {
    return switch (model) {
      case ModelSelector.Latest _ -> MODEL;
      case ModelSelector.Version _ -> MODEL + "/versions/{version}";
      case ModelSelector.Label _ -> MODEL + "/labels/{label}";
    };
  }

  private static String behind(Verb verb) {
    return ":" + verb.name().toLowerCase(Locale.ROOT);
  }
}
