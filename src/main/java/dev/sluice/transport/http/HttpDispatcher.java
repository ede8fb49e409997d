package dev.sluice.transport.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Operation;
import dev.sluice.transport.AnsweredRequest;
import dev.sluice.transport.ArrivalDeadlines;
import dev.sluice.transport.BrowserGuard;
import dev.sluice.transport.ListenerContext;
import dev.sluice.transport.RequestIds;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.function.Consumer;

/** Takes the HTTP requests of one event loop to the protocol handlers that claimed their paths. */
public final class HttpDispatcher implements Consumer<HttpServerRequest> {
  private static final Buffer NOT_FOUND = Buffer.buffer("{\"error\":\"Not Found\"}");

  private static final Buffer FAILED = Buffer.buffer("{\"error\":\"internal error\"}");

  private final HttpRoutes routes = new HttpRoutes();
  private final ListenerContext context;
  private final ArrivalDeadlines deadlines;
  private final RequestIds ids = new RequestIds();
  private final boolean cors;

  /**
   * Mounts the protocol handlers.
   *
   * @param cors whether pages from other origins may ask
   */
  public HttpDispatcher(
      List<HttpProtocolHandler> protocolHandlers, ListenerContext context, boolean cors) {
    this.context = context;
    this.deadlines = new ArrivalDeadlines(context);
    this.cors = cors;
    protocolHandlers.forEach(protocolHandler -> protocolHandler.mount(routes));
  }

  /** Looks after a connection that has just been opened. */
  public void opened(HttpConnection connection) {
    ZeroCopyBodyChunks.join(connection);
  }

  /** Has a request logged whose head can not be read. */
  public void refusing(HttpServerRequest request) {
    AnsweredRequest.follow(request, context, AnsweredRequest.protocol(request), "", false);
  }

  @Override
  public void accept(HttpServerRequest request) {
    boolean putOff =
        ZeroCopyBodyChunks.putOff(
            request,
            () -> {
              begin(request);
              request.resume();
            });
    if (putOff) {
      request.pause();
    } else {
      begin(request);
    }
  }

  private void begin(HttpServerRequest request) {
    var exchange = new HttpExchange(request, context, routes, deadlines, ids.of(request));
    BrowserGuard.Refusal refusal = context.guard().refusal(request);
    if (refusal != null) {
      context.turnedAway(exchange.peer(), refusal);
      exchange.json(refusal.status(), new JsonObject().put("error", refusal.text()).toBuffer());
      return;
    }
    boolean shared = cors && !isControl(exchange.path());
    if (shared) {
      exchange.share();
    } else if (exchange.method().equals(HttpMethod.OPTIONS)) {
      notePreflight(exchange);
    }
    try {
      exchange.readDeadline();
      answer(exchange, shared);
    } catch (InferenceException e) {
      refuse(exchange, exchange.explain(e));
    } catch (RuntimeException | Error e) {
      // A protocol handler answers its own failures; this answers for one that does not.
      exchange.json(HttpStatus.of(exchange.explain(e).code()), FAILED);
    }
  }

  /** Notes a CORS preflight request: the protocol's answer to it is no permission. */
  private void notePreflight(HttpExchange exchange) {
    BrowserGuard.Refusal refusal =
        isControl(exchange.path())
            ? context.guard().preflightRefusal(exchange.method().name(), exchange::header)
            : null;
    if (refusal != null) {
      context.turnedAway(exchange.peer(), refusal);
    }
  }

  private static void refuse(HttpExchange exchange, InferenceException why) {
    Buffer body = new JsonObject().put("error", why.getMessage()).toBuffer();
    exchange.json(HttpStatus.of(why.code()), body);
  }

  private boolean isControl(String path) {
    Operation operation = routes.operation(path);
    return operation != null && operation.isControl();
  }

  private void answer(HttpExchange exchange, boolean shared) {
    if (shared && exchange.method().equals(HttpMethod.OPTIONS)) {
      Cors.answerPreflight(exchange);
      return;
    }
    Consumer<HttpExchange> handler = routes.find(exchange.path());
    if (handler == null) {
      exchange.json(404, NOT_FOUND);
    } else {
      handler.accept(exchange);
    }
  }
}
