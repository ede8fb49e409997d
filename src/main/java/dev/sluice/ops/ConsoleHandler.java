package dev.sluice.ops;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Operation;
import dev.sluice.transport.http.HttpExchange;
import dev.sluice.transport.http.HttpProtocolHandler;
import dev.sluice.transport.http.HttpRoute;
import dev.sluice.transport.http.HttpRoutes;
import dev.sluice.transport.http.PathOperations;
import dev.sluice.transport.http.PercentCoding;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers the root path: a browser gets the console, any other client a liveness text. The page and
 * its charts are also where grps' monitor has its own.
 *
 * <p>Not Vert.x Web's StaticHandler: every answer of a listener is an exchange, which is
 * authorised, measured and logged.
 */
public final class ConsoleHandler implements HttpProtocolHandler {
  private static final String FOLDER = "/console";
  private static final String STATE = "/console.json";
  private static final String MODEL = "/console/model.json";
  private static final String HISTORY = "/console/history.json";
  private static final String GRPS_PAGE = "/grps/v1/monitor/metrics";
  private static final String GRPS_SERIES = "/grps/v1/monitor/series";
  private static final Buffer ALIVE = Buffer.buffer("{\"status\":\"alive\"}");

  /** Work of a page, which reads every model. */
  private static final long LARGE = Long.MAX_VALUE;

  /** Files need no right, and so stand for no operation. */
  private static final class Files implements PathOperations {
    @Override
    public List<HttpRoute> routes() {
      return List.of();
    }

    @Override
    public @Nullable Operation of(String path) {
      return null;
    }

    @Override
    public @Nullable String template(String path) {
      String behind = path.substring(FOLDER.length());
      if (behind.isEmpty() || behind.equals("/")) {
        return FOLDER;
      }
      return ConsoleFiles.has(behind.substring(1)) ? FOLDER + "/{file}" : null;
    }
  }

  private final ConsoleState state;
  private final ConsoleModel model;
  private final CallMonitor monitor;
  private final Audience audience;

  /** The callers that a listener gives the page to. */
  public enum Audience {
    /** The listener only answers that the server is alive. */
    NONE,
    /** Clients that accept HTML. */
    BROWSERS,
    /** All, as grps' own server has it. */
    ALL
  }

  /**
   * @param audience who gets the page
   */
  public ConsoleHandler(
      ConsoleState state, ConsoleModel model, CallMonitor monitor, Audience audience) {
    this.state = state;
    this.model = model;
    this.monitor = monitor;
    this.audience = audience;
  }

  @Override
  public void mount(HttpRoutes routes) {
    routes.claimUnguarded("/", Operation.HEALTH, this::answerRoot);
    if (audience != Audience.NONE) {
      routes.claim(FOLDER, new Files(), this::answerFile);
      routes.claimExactly(STATE, Operation.CONSOLE, reading(this::answerState));
      routes.claimExactly(MODEL, Operation.CONSOLE, reading(this::answerModel));
      routes.claimExactly(HISTORY, Operation.CONSOLE, reading(this::answerHistory));
      routes.claimUnguarded(GRPS_PAGE, Operation.CONSOLE, this::answerGrpsPage);
      routes.claimExactly(GRPS_SERIES, Operation.CONSOLE, reading(this::answerSeries));
    }
  }

  private static Consumer<HttpExchange> reading(Consumer<HttpExchange> handler) {
    return exchange -> {
      String method = exchange.method().name();
      if (method.equals("GET") || method.equals("HEAD")) {
        handler.accept(exchange);
      } else {
        exchange.putHeader(HttpHeaders.ALLOW, "GET, HEAD");
        refuse(exchange, 405, "Method Not Allowed");
      }
    };
  }

  private static void refuse(HttpExchange exchange, int status, String why) {
    exchange.json(status, new JsonObject().put("error", why).toBuffer());
  }

  private void answerRoot(HttpExchange exchange) {
    exchange.putHeader(HttpHeaders.VARY, HttpHeaders.ACCEPT);
    if (isForPage(exchange)) {
      answerPage(exchange, "");
    } else {
      exchange.require(Operation.HEALTH);
      reading(alive -> alive.json(200, ALIVE)).accept(exchange);
    }
  }

  private void answerGrpsPage(HttpExchange exchange) {
    if (!isBrowser(exchange.header(HttpHeaders.ACCEPT))) {
      exchange.require(Operation.CONSOLE);
    }
    answerPage(exchange, "../../../");
  }

  private static void answerPage(HttpExchange exchange, String root) {
    exchange.requireNothing();
    reading(page -> ConsoleFiles.answerPage(page, root)).accept(exchange);
  }

  private void answerFile(HttpExchange exchange) {
    String behind = exchange.path().substring(FOLDER.length());
    if (behind.isEmpty() || behind.equals("/")) {
      answerPage(exchange, behind.isEmpty() ? "" : "../");
      return;
    }
    exchange.requireNothing();
    reading(
            file -> {
              if (!ConsoleFiles.answerFile(file, behind.substring(1))) {
                refuse(file, 404, "Not Found");
              }
            })
        .accept(exchange);
  }

  private boolean isForPage(HttpExchange exchange) {
    return switch (audience) {
      case NONE -> false;
      case BROWSERS -> isBrowser(exchange.header(HttpHeaders.ACCEPT));
      // Callers without the right get the liveness text, as elsewhere.
      case ALL ->
          isBrowser(exchange.header(HttpHeaders.ACCEPT))
              || exchange.caller().may(Operation.CONSOLE, "");
    };
  }

  private static boolean isBrowser(@Nullable String accepted) {
    return accepted != null && accepted.toLowerCase(Locale.ROOT).contains("text/html");
  }

  private void answerState(HttpExchange exchange) {
    exchange.putHeader(HttpHeaders.CACHE_CONTROL, "no-store");
    exchange
        .compute(LARGE, () -> state.json(exchange.caller()).toBuffer())
        .onSuccess(json -> exchange.json(200, json))
        .onFailure(e -> refuse(exchange, 500, exchange.explain(e).getMessage()));
  }

  private void answerModel(HttpExchange exchange) {
    String name = parameter(exchange.query(), "name");
    exchange.putHeader(HttpHeaders.CACHE_CONTROL, "no-store");
    exchange
        .compute(LARGE, () -> model.json(name, exchange.caller()).toBuffer())
        .onSuccess(json -> exchange.json(200, json))
        .onFailure(e -> refuse(exchange, 500, exchange.explain(e).getMessage()));
  }

  private void answerHistory(HttpExchange exchange) {
    String span = parameter(exchange.query(), "span");
    String after = parameter(exchange.query(), "after_ms");
    String name = parameter(exchange.query(), "model");
    Optional<History.Span> known = History.Span.of(span.isEmpty() ? "minutes" : span);
    if (known.isEmpty() || !after.matches("[0-9]{0,15}")) {
      refuse(exchange, 400, "wanted span=minutes, hours or day, and after_ms= a number, or none");
      return;
    }
    if (!name.isEmpty() && !model.isKnown(name)) {
      refuse(exchange, 404, "the server has no model '%s'".formatted(name));
      return;
    }
    long afterMillis = after.isEmpty() ? 0 : Long.parseLong(after);
    History history = name.isEmpty() ? monitor.history() : monitor.history(name);
    exchange.putHeader(HttpHeaders.CACHE_CONTROL, "no-store");
    exchange
        .compute(LARGE, () -> history.json(known.get(), afterMillis).toBuffer())
        .onSuccess(json -> exchange.json(200, json))
        .onFailure(e -> refuse(exchange, 500, exchange.explain(e).getMessage()));
  }

  private void answerSeries(HttpExchange exchange) {
    String name = parameter(exchange.query(), "name");
    if (name.isEmpty()) {
      refuse(exchange, 400, "the query names no series: wanted name=, such as " + CallMonitor.RATE);
      return;
    }
    exchange.putHeader(HttpHeaders.CACHE_CONTROL, "no-store");
    // As grps' own server has it: some metrics are only there after their first use.
    exchange.json(200, monitor.series(name).map(ChartSeries::json).orElseGet(Buffer::buffer));
  }

  private static String parameter(String query, String name) {
    for (String part : query.split("&", -1)) {
      if (part.startsWith(name + "=")) {
        return decode(part.substring(name.length() + 1));
      }
    }
    return "";
  }

  /**
   * Decodes a name leniently: the page of grps does not encode names, so a percent sign that begins
   * no code stands for itself.
   */
  private static String decode(String name) {
    try {
      return PercentCoding.decode(name);
    } catch (InferenceException e) {
      return name;
    }
  }
}
