package dev.sluice.protocol.openai.encoder;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.openai.generation.CallerNames;
import dev.sluice.protocol.openai.generation.ChoiceAnswers;
import dev.sluice.protocol.openai.generation.OpenAiModels;
import dev.sluice.protocol.openai.generation.PostRoute;
import dev.sluice.transport.Body;
import dev.sluice.transport.http.HttpExchange;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.function.Function;

/**
 * Answers calls of one kind.
 *
 * @param data finds models and runs requests
 * @param reader reads a body
 * @param names what callers call the inputs
 * @param errors makes the body of a failure's answer
 */
record EncoderRoute(
    DataPlane data,
    Function<Body, ? extends EncoderCall> reader,
    CallerNames names,
    Function<InferenceException, Buffer> errors)
    implements PostRoute {
  @Override
  public void answer(HttpExchange exchange) {
    exchange
        .body()
        .compose(
            body -> exchange.<EncoderCall>compute(body.work(), () -> reader.apply(body.onHeap())))
        .compose(call -> ask(exchange, call))
        .onFailure(failure -> fail(exchange, failure));
  }

  private Future<Void> ask(HttpExchange exchange, EncoderCall call) {
    exchange.measure(call.api(), call.model());
    exchange.record().sample(call.model());
    try {
      InferenceRequest request = request(exchange, call);
      exchange.record().traces(request, "");
      return new ChoiceAnswers(data, exchange, List.of(request))
          .whole(responses -> call.answer(responses.getFirst(), exchange.requestId()))
          .recover(names::failed)
          .onComplete(_ -> call.close());
    } catch (RuntimeException | Error e) {
      call.close();
      throw e;
    }
  }

  private InferenceRequest request(HttpExchange exchange, EncoderCall call) {
    var selector = new ModelSelector.Latest(call.model());
    return OpenAiModels.found(data.admit(selector, exchange.caller()))
        .handOver(model -> {
          Signature signature = call.signature(model);
          return new InferenceRequest(
              model,
              signature,
              call.take(),
              call.outputs(signature),
              exchange.deadline(),
              exchange.requestId());
        });
  }

  @Override
  public Buffer error(InferenceException failure) {
    return errors.apply(failure);
  }
}
