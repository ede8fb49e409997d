package dev.sluice.protocol.grps.http;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.control.ControlPlane;
import dev.sluice.protocol.grps.Deployment;
import dev.sluice.protocol.grps.GrpsMetadata;
import dev.sluice.protocol.grps.GrpsStatus;
import dev.sluice.protocol.grps.ModelResolver;
import dev.sluice.protocol.grps.PredictCall;
import dev.sluice.protocol.grps.PredictConcurrencyLimit;
import dev.sluice.transport.http.HttpExchange;
import dev.sluice.transport.http.HttpProtocolHandler;
import dev.sluice.transport.http.HttpRoute;
import dev.sluice.transport.http.HttpRoutes;
import dev.sluice.transport.http.PathOperations;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP side of grps. Its routes take several methods, as grps clients use them, and repeated
 * slashes, as the native server does. Every answer, errors too, is the contract's message as JSON,
 * and the HTTP status is the code inside it; only bytes go out as they are.
 */
public final class GrpsHttpHandler implements HttpProtocolHandler {
  private static final String PREFIX = "/grps";
  private static final Pattern SLASHES = Pattern.compile("/+");
  private static final Set<String> ASKING = Set.of("GET", "POST", "HEAD");
  private static final Set<String> POSTING = Set.of("POST");

  /** A way to ask below the prefix. No methods: all. */
  private record Way(Operation operation, Set<String> methods, Consumer<HttpExchange> handler) {
    boolean allows(String method) {
      return methods.isEmpty() || methods.contains(method);
    }
  }

  private final Consumer<HttpExchange> predict;
  private final CustomPredict custom;

  /** By their paths below the prefix. */
  private final Map<String, Way> ways = new LinkedHashMap<>();

  /**
   * @param concurrencyLimit shared by all event loops of the listener
   * @param streams how a request selects a stream
   * @param custom another way to ask for predictions
   */
  public GrpsHttpHandler(
      DataPlane data,
      ControlPlane control,
      Deployment deployment,
      PredictConcurrencyLimit concurrencyLimit,
      StreamControl streams,
      CustomPredict custom) {
    this.custom = custom;
    var models = new ModelResolver(data, control, deployment);
    this.predict =
        custom.ownBody()
            ? new CustomRoute(data, models, streams)::answer
            : new PredictRoute(new PredictCall(data, models, concurrencyLimit), streams)::predict;
    var health = new HealthRoutes(control);
    var metadata = new MetadataRoutes(new GrpsMetadata(models, control, deployment));
    add("/v1/health/online", Operation.ONLINE, ASKING, health::online);
    add("/v1/health/offline", Operation.OFFLINE, ASKING, health::offline);
    add("/v1/health/live", Operation.HEALTH, ASKING, health::live);
    add("/v1/health/ready", Operation.HEALTH, ASKING, health::ready);
    add("/v1/metadata/server", Operation.SERVER_METADATA, ASKING, metadata::server);
    add("/v1/metadata/model", Operation.MODEL_METADATA, POSTING, metadata::model);
    // A plugin sees requests of every method.
    add("/v1/infer/predict", Operation.INFER, custom.ownBody() ? Set.of() : POSTING, predict);
  }

  private void add(
      String path, Operation operation, Set<String> methods, Consumer<HttpExchange> handler) {
    ways.put(path, new Way(operation, methods, handler));
  }

  @Override
  public void mount(HttpRoutes routes) {
    var operations = new Operations();
    routes.claim(PREFIX, operations, this::route);
    routes.claim("/" + PREFIX, operations, this::route);
    if (!custom.path().isEmpty()) {
      routes.claimExactly(custom.path(), Operation.INFER, predict);
    }
  }

  private final class Operations implements PathOperations {
    @Override
    public List<HttpRoute> routes() {
      List<HttpRoute> routes = new ArrayList<>();
      ways.forEach((path, way) ->
          (way.methods.isEmpty() ? Set.of("") : way.methods)
              .forEach(method -> routes.add(new HttpRoute(method, PREFIX + path, way.operation))));
      return routes;
    }

    @Override
    public @Nullable Operation of(String path) {
      Way way = ways.get(below(path));
      return way == null ? null : way.operation;
    }

    @Override
    public @Nullable String template(String path) {
      String below = below(path);
      return ways.containsKey(below) ? PREFIX + below : null;
    }
  }

  private void route(HttpExchange http) {
    Way way = ways.get(below(http.path()));
    if (way == null) {
      MessageJson.answer(http, new GrpsStatus(404, "Not Found"));
    } else if (way.allows(http.method().name())) {
      guard(http, way.operation, way.handler);
    } else {
      http.putHeader("Allow", way.methods.contains("GET") ? "GET, POST, HEAD" : "POST");
      MessageJson.answer(http, new GrpsStatus(405, "Method Not Allowed"));
    }
  }

  /** Returns the path below the prefix, with single slashes and none at its end. */
  private static String below(String path) {
    String single = SLASHES.matcher(path).replaceAll("/");
    int end = single.endsWith("/") ? single.length() - 1 : single.length();
    return single.substring(PREFIX.length(), end);
  }

  private static void guard(
      HttpExchange http, Operation operation, Consumer<HttpExchange> handler) {
    try {
      http.require(operation);
    } catch (InferenceException e) {
      MessageJson.answer(http, GrpsStatus.of(http.explain(e)));
      return;
    }
    handler.accept(http);
  }
}
