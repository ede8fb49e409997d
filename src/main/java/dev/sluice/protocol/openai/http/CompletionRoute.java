package dev.sluice.protocol.openai.http;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.RequestOptions;
import dev.sluice.inference.SequenceStep;
import dev.sluice.inference.Signature;
import dev.sluice.telemetry.meter.Api;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.transport.StreamPump;
import dev.sluice.transport.http.HttpExchange;
import dev.sluice.transport.http.ServerSentEvents;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;

/**
 * One request for a completion, answered whole or by server-sent events.
 *
 * @param data finds models and runs requests
 * @param clock tells when a completion was asked for
 */
record CompletionRoute(DataPlane data, InstantSource clock) {
  private static final Buffer DONE = Buffer.buffer("data: [DONE]\n\n");

  void answer(HttpExchange exchange) {
    exchange
        .body()
        .compose(body -> exchange.compute(body.work(), () -> CompletionReader.read(body.onHeap())))
        .compose(request -> ask(exchange, request))
        .onFailure(failure -> OpenAiHttpHandler.fail(exchange, failure));
  }

  private Future<Void> ask(HttpExchange exchange, CompletionRequest request) {
    exchange.measure(Api.OPENAI_COMPLETIONS, request.model());
    exchange.record().sample(request.model());
    var selector = new ModelSelector.Latest(request.model());
    ModelLease model = OpenAiModels.found(data.admit(selector, exchange.caller()));
    var writer =
        new CompletionWriter(
            "cmpl-" + exchange.requestId(),
            request.model(),
            clock.instant().getEpochSecond(),
            request.usage(),
            new CompletionChoice(0));
    return exchange
        .decode(request.prompt().length(), model, () -> prompt(exchange, request, model))
        .onSuccess(asked -> exchange.record().traces(asked, ""))
        .compose(asked ->
            request.stream() ? stream(exchange, asked, writer) : whole(exchange, asked, writer));
  }

  private Future<Void> whole(
      HttpExchange exchange, InferenceRequest asked, CompletionWriter writer) {
    return exchange
        .ask(data, asked, writer::whole)
        .onSuccess(body -> exchange.json(200, body))
        .mapEmpty();
  }

  private Future<Void> stream(
      HttpExchange exchange, InferenceRequest asked, CompletionWriter writer) {
    var events = new ServerSentEvents(exchange, OpenAiError::of, DONE, true);
    return new StreamPump(exchange, events, writer::chunk).ask(data, asked);
  }

  private static InferenceRequest prompt(
      HttpExchange exchange, CompletionRequest request, ModelLease model) {
    Signature signature = OpenAiModels.generator(model);
    byte[] prompt = request.prompt().getBytes(StandardCharsets.UTF_8);
    try (var text = new TensorBuilder(DataType.BYTES, Integer.BYTES + prompt.length)) {
      text.putBytes(prompt, 0, prompt.length);
      return new InferenceRequest(
          model,
          signature,
          List.of(new NamedTensor(OpenAiModels.TEXT, text.build(Shape.of(1)))),
          OpenAiModels.OUTPUTS,
          exchange.deadline(),
          exchange.requestId(),
          new RequestOptions(0, SequenceStep.NONE, request.parameters()));
    }
  }
}
