package dev.sluice.protocol.openai.tokens;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.tokens.ModelTokenizer;
import dev.sluice.protocol.openai.generation.OpenAiError;
import dev.sluice.protocol.openai.generation.OpenAiModels;
import dev.sluice.protocol.openai.generation.PostRoute;
import dev.sluice.telemetry.meter.Api;
import dev.sluice.transport.Body;
import dev.sluice.transport.http.HttpExchange;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.function.Function;

/**
 * Answers calls of one kind. The model has nothing to run: no request of it is admitted or counted.
 *
 * @param data finds models
 * @param api what a call counts as
 * @param reader reads a body
 */
record TokenRoute(DataPlane data, Api api, Function<Body, TokenCall> reader) implements PostRoute {
  /** As much work as a worker is for: the time that a text takes is known only afterwards. */
  private static final long TOKENIZING = Long.MAX_VALUE;

  @Override
  public void answer(HttpExchange exchange) {
    exchange
        .body()
        .compose(body -> exchange.compute(body.work(), () -> reader.apply(body.onHeap())))
        .compose(call -> ask(exchange, call))
        .onComplete(answer -> exchange.json(200, answer), failure -> fail(exchange, failure));
  }

  private Future<Buffer> ask(HttpExchange exchange, TokenCall call) {
    exchange.measure(api, call.model());
    ModelTokenizer tokenizer = tokenizer(exchange, call.model());
    return exchange.compute(TOKENIZING, () -> call.answer().apply(tokenizer));
  }

  private ModelTokenizer tokenizer(HttpExchange exchange, String name) {
    var selector = new ModelSelector.Latest(name);
    return OpenAiModels.found(data.find(selector, exchange.caller(), Operation.INFER))
        .read(ModelLease::tokenizer)
        .orElseThrow(() ->
            OpenAiError.parameter("model", "'" + name + "', which takes no text", "one that does"));
  }

  @Override
  public Buffer error(InferenceException failure) {
    return OpenAiError.of(failure);
  }
}
