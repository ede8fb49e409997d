package dev.sluice.protocol.grps.http;

import dev.sluice.inference.ControlPlane;
import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.Operation;
import dev.sluice.protocol.grps.Deployment;
import dev.sluice.protocol.grps.GrpsStatus;
import dev.sluice.protocol.grps.Metadata;
import dev.sluice.protocol.grps.ModelChoice;
import dev.sluice.protocol.grps.PredictCall;
import dev.sluice.protocol.grps.Room;
import dev.sluice.transport.http.HttpExchange;
import dev.sluice.transport.http.HttpFace;
import dev.sluice.transport.http.HttpRoutes;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * The HTTP side of grps. Its routes take several methods, as grps clients use them, and repeated
 * slashes, as the native server does. Every answer, errors too, is the contract's message as JSON,
 * and the HTTP status is the code inside it; only bytes go out as they are.
 */
public final class GrpsHttpFace implements HttpFace {
  private static final String PREFIX = "/grps";
  private static final Pattern SLASHES = Pattern.compile("/+");
  private static final Set<String> ASKING = Set.of("GET", "POST", "HEAD");
  private static final Set<String> POSTING = Set.of("POST");

  private final HealthRoutes health;
  private final MetadataRoutes metadata;
  private final Consumer<HttpExchange> predict;
  private final CustomPredict custom;

  /**
   * @param room shared by all event loops of the listener
   * @param streams how a request asks for a stream
   * @param custom another way to ask for predictions
   */
  public GrpsHttpFace(
      DataPlane data,
      ControlPlane control,
      Deployment deployment,
      Room room,
      StreamControl streams,
      CustomPredict custom) {
    this.custom = custom;
    var models = new ModelChoice(data, control, deployment);
    this.health = new HealthRoutes(control);
    this.metadata = new MetadataRoutes(new Metadata(models, control, deployment));
    this.predict =
        custom.ownBody()
            ? new CustomRoute(data, models, streams)::answer
            : new PredictRoute(new PredictCall(data, models, room), streams)::predict;
  }

  @Override
  public void mount(HttpRoutes routes) {
    routes.claim(PREFIX, this::route);
    routes.claim("/" + PREFIX, this::route);
    if (!custom.path().isEmpty()) {
      routes.claimExactly(custom.path(), Operation.INFER, predict);
    }
  }

  @Override
  public boolean isControl(String path) {
    return path.toLowerCase(Locale.ROOT).contains("/health/o");
  }

  private void route(HttpExchange http) {
    switch (route(http.path())) {
      case "/v1/health/online" -> allow(http, Operation.ONLINE, health::online);
      case "/v1/health/offline" -> allow(http, Operation.OFFLINE, health::offline);
      case "/v1/health/live" -> allow(http, Operation.HEALTH, health::live);
      case "/v1/health/ready" -> allow(http, Operation.HEALTH, health::ready);
      case "/v1/metadata/server" -> allow(http, Operation.SERVER_METADATA, metadata::server);
      case "/v1/metadata/model" -> allow(http, Operation.MODEL_METADATA, metadata::model);
      case "/v1/infer/predict" -> predict(http);
      default -> MessageJson.answer(http, new GrpsStatus(404, "Not Found"));
    }
  }

  /** Own code sees requests of every method. */
  private void predict(HttpExchange http) {
    allow(
        http, custom.ownBody() ? Set.of(http.method().name()) : POSTING, Operation.INFER, predict);
  }

  /** The path below the prefix, with single slashes and none at its end. */
  private static String route(String path) {
    String single = SLASHES.matcher(path).replaceAll("/");
    int end = single.endsWith("/") ? single.length() - 1 : single.length();
    return single.substring(PREFIX.length(), end);
  }

  private static void allow(
      HttpExchange http, Operation operation, Consumer<HttpExchange> handler) {
    allow(http, operation == Operation.MODEL_METADATA ? POSTING : ASKING, operation, handler);
  }

  private static void allow(
      HttpExchange http, Set<String> methods, Operation operation, Consumer<HttpExchange> handler) {
    if (methods.contains(http.method().name())) {
      guard(http, operation, handler);
    } else {
      http.putHeader("Allow", methods.contains("GET") ? "GET, POST, HEAD" : "POST");
      MessageJson.answer(http, new GrpsStatus(405, "Method Not Allowed"));
    }
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
