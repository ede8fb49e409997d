package dev.sluice.protocol.openai.tokens;

import dev.sluice.inference.DataPlane;
import dev.sluice.telemetry.meter.Api;
import dev.sluice.transport.http.HttpProtocolHandler;
import dev.sluice.transport.http.HttpRoutes;
import java.util.List;

/**
 * {@code /tokenize} and {@code /detokenize}, in the form of vLLM, for the models that take text.
 *
 * <p>One instance may serve all event loops.
 */
public final class TokenHttpHandler implements HttpProtocolHandler {
  private static final List<String> PREFIXES = List.of("", "/v1", "/openai/v1");

  private final TokenRoute tokenize;
  private final TokenRoute detokenize;

  /**
   * @param data finds models
   */
  public TokenHttpHandler(DataPlane data) {
    tokenize = new TokenRoute(data, Api.OPENAI_TOKENIZE, TokenizeReader::read);
    detokenize = new TokenRoute(data, Api.OPENAI_DETOKENIZE, DetokenizeReader::read);
  }

  @Override
  public void mount(HttpRoutes routes) {
    for (String prefix : PREFIXES) {
      tokenize.claim(routes, prefix + "/tokenize");
      detokenize.claim(routes, prefix + "/detokenize");
    }
  }
}
