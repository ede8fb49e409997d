package dev.sluice.protocol.openai.generation;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Operation;
import dev.sluice.transport.http.HttpExchange;
import dev.sluice.transport.http.HttpRoute;
import dev.sluice.transport.http.HttpRoutes;
import dev.sluice.transport.http.HttpStatus;
import dev.sluice.transport.http.PathOperations;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Answers one kind of POST that asks a model, at paths with nothing below them. */
public interface PostRoute {
  /** Answers a call, later. Failures get {@link #fail}. On its event loop. */
  void answer(HttpExchange exchange);

  /** Returns the body of a failure's answer. */
  Buffer error(InferenceException failure);

  /** Answers with the error of a failure. */
  default void fail(HttpExchange exchange, Throwable failure) {
    InferenceException reported = exchange.explain(failure);
    exchange.json(HttpStatus.of(reported.code()), error(reported));
  }

  /** Claims a path. */
  default void claim(HttpRoutes routes, String path) {
    var operations = new Path(path);
    routes.claim(path, operations, exchange -> handle(exchange, operations));
  }

  private void handle(HttpExchange exchange, Path path) {
    try {
      Operation operation = path.of(exchange.path());
      if (operation == null) {
        throw InferenceException.noPath();
      }
      if (exchange.method().name().equals(Path.POST)) {
        exchange.require(operation);
        answer(exchange);
      } else {
        exchange.putHeader(HttpHeaders.ALLOW, Path.POST);
        exchange.json(
            405, error(new InferenceException(ErrorCode.UNIMPLEMENTED, "method not allowed")));
      }
    } catch (RuntimeException e) {
      fail(exchange, e);
    }
  }

  /**
   * The operation of a claimed path.
   *
   * @param path in full
   */
  record Path(String path) implements PathOperations {
    private static final String POST = "POST";

    @Override
    public List<HttpRoute> routes() {
      return List.of(new HttpRoute(POST, path, Operation.INFER));
    }

    @Override
    public @Nullable Operation of(String asked) {
      return asked.equals(path) ? Operation.INFER : null;
    }

    @Override
    public @Nullable String template(String asked) {
      return asked.equals(path) ? path : null;
    }
  }
}
