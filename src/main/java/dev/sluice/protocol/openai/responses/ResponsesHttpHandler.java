package dev.sluice.protocol.openai.responses;

import dev.sluice.inference.DataPlane;
import dev.sluice.transport.http.HttpProtocolHandler;
import dev.sluice.transport.http.HttpRoutes;
import java.time.InstantSource;

/**
 * {@code /v1/responses}, as OpenAI and Open Responses have it, for the models that hold
 * conversations.
 *
 * <p>One instance may serve all event loops.
 */
public final class ResponsesHttpHandler implements HttpProtocolHandler {
  private final ResponsesRoute route;

  /**
   * @param data finds models and runs requests
   * @param clock tells when a response was asked for and completed
   */
  public ResponsesHttpHandler(DataPlane data, InstantSource clock) {
    route = new ResponsesRoute(data, clock);
  }

  @Override
  public void mount(HttpRoutes routes) {
    route.claim(routes, "/v1/responses");
    route.claim(routes, "/openai/v1/responses");
  }
}
