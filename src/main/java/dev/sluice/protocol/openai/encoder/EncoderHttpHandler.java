package dev.sluice.protocol.openai.encoder;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Operation;
import dev.sluice.protocol.openai.http.OpenAiError;
import dev.sluice.transport.http.HttpExchange;
import dev.sluice.transport.http.HttpProtocolHandler;
import dev.sluice.transport.http.HttpRoutes;
import io.vertx.core.http.HttpHeaders;
import java.util.List;

/**
 * {@code /v1/embeddings}, as OpenAI has it, and {@code /rerank}, as Cohere has it, for the models
 * that take texts and answer vectors or scores.
 *
 * <p>One instance may serve all event loops.
 */
public final class EncoderHttpHandler implements HttpProtocolHandler {
  static final String POST = "POST";

  private static final List<String> EMBEDDINGS = List.of("/v1/embeddings", "/openai/v1/embeddings");
  private static final List<String> RERANK =
      List.of("/v1/rerank", "/v2/rerank", "/rerank", "/openai/v1/rerank");

  private final EncoderRoute embeddings;
  private final EncoderRoute rerank;

  /**
   * @param data finds models and runs requests
   */
  public EncoderHttpHandler(DataPlane data) {
    embeddings = new EncoderRoute(data, EmbeddingReader::read, OpenAiError::of);
    rerank = new EncoderRoute(data, RerankReader::read, RerankCall::error);
  }

  @Override
  public void mount(HttpRoutes routes) {
    EMBEDDINGS.forEach(path -> claim(routes, path, embeddings));
    RERANK.forEach(path -> claim(routes, path, rerank));
  }

  private static void claim(HttpRoutes routes, String path, EncoderRoute route) {
    var operations = new PostOperation(path);
    routes.claim(path, operations, exchange -> handle(exchange, operations, route));
  }

  private static void handle(HttpExchange exchange, PostOperation path, EncoderRoute route) {
    try {
      Operation operation = path.of(exchange.path());
      if (operation == null) {
        throw new InferenceException(ErrorCode.NOT_FOUND, "there is nothing at this path");
      }
      if (exchange.method().name().equals(POST)) {
        exchange.require(operation);
        route.answer(exchange);
      } else {
        exchange.putHeader(HttpHeaders.ALLOW, POST);
        route.refuse(
            exchange, 405, new InferenceException(ErrorCode.UNIMPLEMENTED, "method not allowed"));
      }
    } catch (RuntimeException e) {
      route.fail(exchange, e);
    }
  }
}
