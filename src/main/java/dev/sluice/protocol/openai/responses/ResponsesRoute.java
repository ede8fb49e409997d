package dev.sluice.protocol.openai.responses;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.tokens.ModelTokenizer;
import dev.sluice.inference.tokens.ToolCallForm;
import dev.sluice.protocol.openai.generation.CallerNames;
import dev.sluice.protocol.openai.generation.ChoiceAnswers;
import dev.sluice.protocol.openai.generation.ChoiceRequests;
import dev.sluice.protocol.openai.generation.OpenAiError;
import dev.sluice.protocol.openai.generation.PostRoute;
import dev.sluice.telemetry.meter.Api;
import dev.sluice.transport.StreamPump;
import dev.sluice.transport.http.HttpExchange;
import dev.sluice.transport.http.ServerSentEvents;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * One request for a response, answered whole or by server-sent events.
 *
 * @param data finds models and runs requests
 * @param clock tells when a response was asked for and completed
 */
record ResponsesRoute(DataPlane data, InstantSource clock) implements PostRoute {
  @Override
  public void answer(HttpExchange exchange) {
    exchange
        .body()
        .compose(body -> exchange.compute(body.work(), () -> ResponseReader.read(body.onHeap())))
        .compose(request -> ask(exchange, request))
        .onFailure(failure -> fail(exchange, failure));
  }

  private Future<Void> ask(HttpExchange exchange, ResponseRequest request) {
    exchange.measure(Api.OPENAI_RESPONSES, request.model());
    exchange.record().sample(request.model());
    return new ChoiceRequests(request.model(), List.of(request.conversation()), 1, request.said())
        .make(data, exchange)
        .compose(asked -> answer(exchange, request, asked.getFirst()))
        .recover(request.said().names()::failed);
  }

  private Future<Void> answer(
      HttpExchange exchange, ResponseRequest request, InferenceRequest asked) {
    exchange.record().traces(asked, "");
    String id = exchange.requestId();
    Optional<ToolCallForm> form = asked.model().tokenizer().flatMap(ModelTokenizer::toolCalls);
    var said = new ResponseAnswer(id, request.tools().parser(form, request.stream()));
    var writer = new ResponseWriter(id, request, said, clock);
    if (!request.stream()) {
      return new ChoiceAnswers(data, exchange, List.of(asked))
          .whole(responses -> writer.whole(responses.getFirst()));
    }
    var events = new ResponseEvents(writer, said);
    CallerNames names = request.said().names();
    var client =
        ServerSentEvents.ofWhole(
            exchange,
            failure -> events.failed(names.of(failure)),
            failure -> OpenAiError.of(names.of(failure)),
            ChoiceAnswers.DONE);
    return new StreamPump(exchange, client, events::next).ask(data, asked);
  }

  @Override
  public Buffer error(InferenceException failure) {
    return OpenAiError.of(failure);
  }
}
