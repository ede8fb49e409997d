package dev.sluice.protocol.openai.http;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.control.ControlPlane;
import dev.sluice.protocol.openai.generation.OpenAiError;
import dev.sluice.transport.http.HttpExchange;
import dev.sluice.transport.http.HttpProtocolHandler;
import dev.sluice.transport.http.HttpRoutes;
import dev.sluice.transport.http.HttpStatus;
import dev.sluice.transport.http.PathCache;
import io.vertx.core.http.HttpHeaders;
import java.time.InstantSource;

/**
 * The interface of OpenAI's language models: everything under {@code /openai/v1}, and under {@code
 * /v1} what V1 does not have. {@code /v1/models} is V1's where a listener carries that, with {@link
 * ModelReports} for a part of the answer.
 *
 * <p>One instance may serve all event loops.
 */
public final class OpenAiHttpHandler implements HttpProtocolHandler {
  private final PathCache<OpenAiPath> paths = new PathCache<>(OpenAiPath::of);
  private final CompletionRoute completions;
  private final CompletionRoute chat;
  private final ModelsRoute models;
  private final boolean ownsModels;

  /**
   * @param clock tells when something was made, for the answers
   * @param ownsModels whether {@code /v1/models} is this interface's, and what else of {@code /v1}
   *     has no handler, as the listener carries no V1
   */
  public OpenAiHttpHandler(
      DataPlane data, ControlPlane control, InstantSource clock, boolean ownsModels) {
    completions = new CompletionRoute(data, clock, CompletionKind.TEXT);
    chat = new CompletionRoute(data, clock, CompletionKind.CHAT);
    models = new ModelsRoute(data, control, ModelReports.fromNow(clock));
    this.ownsModels = ownsModels;
  }

  @Override
  public void mount(HttpRoutes routes) {
    claim(routes, OpenAiPath.PREFIX);
    OpenAiPath.OWN.forEach(path -> claim(routes, "/v1" + path));
    if (ownsModels) {
      // What is not there is answered in the form of this interface's errors.
      claim(routes, "/v1");
    }
  }

  private void claim(HttpRoutes routes, String prefix) {
    routes.claim(prefix, new OpenAiOperations(paths, prefix), this::handle);
  }

  private void handle(HttpExchange exchange) {
    try {
      OpenAiPath path = paths.read(exchange.path());
      if (path.resource().method().equals(exchange.method().name())) {
        path.requireFor(exchange);
        answer(exchange, path);
      } else {
        exchange.putHeader(HttpHeaders.ALLOW, path.resource().method());
        exchange.json(405, OpenAiError.of("method not allowed", "invalid_request_error", ""));
      }
    } catch (RuntimeException e) {
      fail(exchange, e);
    }
  }

  private void answer(HttpExchange exchange, OpenAiPath path) {
    switch (path.resource()) {
      case COMPLETIONS -> completions.answer(exchange);
      case CHAT_COMPLETIONS -> chat.answer(exchange);
      case MODELS -> models.list(exchange);
      case MODEL -> models.one(exchange, path.model());
    }
  }

  /** Answers with the error of a failure. */
  static void fail(HttpExchange exchange, Throwable failure) {
    InferenceException reported = exchange.explain(failure);
    exchange.json(HttpStatus.of(reported.code()), OpenAiError.of(reported));
  }
}
