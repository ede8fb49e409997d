package dev.sluice.protocol.openai.encoder;

import dev.sluice.inference.DataPlane;
import dev.sluice.protocol.openai.generation.CallerNames;
import dev.sluice.protocol.openai.generation.OpenAiError;
import dev.sluice.transport.http.HttpProtocolHandler;
import dev.sluice.transport.http.HttpRoutes;
import java.util.List;
import java.util.Map;

/**
 * {@code /v1/embeddings}, as OpenAI has it, and {@code /rerank}, as Cohere has it, for the models
 * that take texts and answer vectors or scores.
 *
 * <p>One instance may serve all event loops.
 */
public final class EncoderHttpHandler implements HttpProtocolHandler {
  private static final List<String> EMBEDDINGS = List.of("/v1/embeddings", "/openai/v1/embeddings");
  private static final List<String> RERANK =
      List.of("/v1/rerank", "/v2/rerank", "/rerank", "/openai/v1/rerank");

  private final EncoderRoute embeddings;
  private final EncoderRoute rerank;

  /**
   * @param data finds models and runs requests
   */
  public EncoderHttpHandler(DataPlane data) {
    embeddings =
        new EncoderRoute(
            data,
            EmbeddingReader::read,
            new CallerNames(Map.of(EncoderCall.TEXT, "input")),
            OpenAiError::of);
    rerank =
        new EncoderRoute(
            data,
            RerankReader::read,
            new CallerNames(Map.of(EncoderCall.TEXT, "documents", "query", "query")),
            RerankCall::error);
  }

  @Override
  public void mount(HttpRoutes routes) {
    EMBEDDINGS.forEach(path -> embeddings.claim(routes, path));
    RERANK.forEach(path -> rerank.claim(routes, path));
  }
}
