package dev.sluice.ops;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Operation;
import dev.sluice.transport.http.HttpExchange;
import dev.sluice.transport.http.HttpProtocolHandler;
import dev.sluice.transport.http.HttpRoutes;
import dev.sluice.transport.http.PercentCoding;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.JsonObject;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers the root path: a browser gets a page with the state of the server, any other client a
 * liveness text. The page and its charts are also where grps' monitor has its own.
 */
public final class ConsoleHandler implements HttpProtocolHandler {
  private static final String GRPS_PAGE = "/grps/v1/monitor/metrics";
  private static final String GRPS_SERIES = "/grps/v1/monitor/series";
  private static final String NAME = "name=";
  private static final Buffer ALIVE = Buffer.buffer("{\"status\":\"alive\"}");

  /** Work of a page, which reads every model. */
  private static final long LARGE = Long.MAX_VALUE;

  private final ConsoleState state;
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
  public ConsoleHandler(ConsoleState state, CallMonitor monitor, Audience audience) {
    this.state = state;
    this.monitor = monitor;
    this.audience = audience;
  }

  @Override
  public void mount(HttpRoutes routes) {
    routes.claimExactly("/", Operation.HEALTH, reading(this::answerRoot));
    if (audience != Audience.NONE) {
      routes.claimExactly(ConsolePage.STATE_PATH, Operation.CONSOLE, reading(this::answerState));
      routes.claimExactly(GRPS_PAGE, Operation.CONSOLE, reading(ConsolePage::answer));
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
      exchange.require(Operation.CONSOLE);
      ConsolePage.answer(exchange);
    } else {
      exchange.json(200, ALIVE);
    }
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
        .compute(LARGE, () -> state.json().toBuffer())
        .onSuccess(json -> exchange.json(200, json))
        .onFailure(e -> refuse(exchange, 500, exchange.explain(e).getMessage()));
  }

  private void answerSeries(HttpExchange exchange) {
    String name = name(exchange.query());
    if (name.isEmpty()) {
      refuse(exchange, 400, "the query names no series: wanted name=, such as " + CallMonitor.RATE);
      return;
    }
    exchange.putHeader(HttpHeaders.CACHE_CONTROL, "no-store");
    // As grps' own server has it: some metrics are only there after their first use.
    exchange.json(200, monitor.series(name).map(ChartSeries::json).orElseGet(Buffer::buffer));
  }

  private static String name(String query) {
    for (String part : query.split("&", -1)) {
      if (part.startsWith(NAME)) {
        return decode(part.substring(NAME.length()));
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
