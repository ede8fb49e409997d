package dev.sluice.protocol.openai.http;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.tokens.ModelTokenizer;
import dev.sluice.protocol.openai.generation.ChoiceAnswers;
import dev.sluice.protocol.openai.generation.ChoiceRequests;
import dev.sluice.transport.http.HttpExchange;
import io.vertx.core.Future;
import java.time.InstantSource;
import java.util.List;

/**
 * One request for completions, answered whole or by server-sent events.
 *
 * @param data finds models and runs requests
 * @param clock tells when a completion was asked for
 * @param kind of the completions
 */
record CompletionRoute(DataPlane data, InstantSource clock, CompletionKind kind) {
  void answer(HttpExchange exchange) {
    exchange
        .body()
        .compose(body -> exchange.compute(body.work(), () -> kind.read(body.onHeap())))
        .compose(request -> ask(exchange, request))
        .onFailure(failure -> OpenAiHttpHandler.fail(exchange, failure));
  }

  private Future<Void> ask(HttpExchange exchange, CompletionRequest request) {
    exchange.measure(kind.api(), request.model());
    exchange.record().sample(request.model());
    return new ChoiceRequests(request.model(), request.prompts(), request.n(), request.said())
        .make(data, exchange)
        .compose(asked -> answer(exchange, request, asked))
        .recover(request.said().names()::failed);
  }

  private Future<Void> answer(
      HttpExchange exchange, CompletionRequest request, List<InferenceRequest> asked) {
    exchange.record().traces(asked.getFirst(), "");
    var writer =
        new CompletionWriter(
            kind,
            kind.prefix() + exchange.requestId(),
            request,
            clock.instant().getEpochSecond(),
            asked.getFirst().model().tokenizer().flatMap(ModelTokenizer::toolCalls));
    var answers = new ChoiceAnswers(data, exchange, asked);
    return request.stream()
        ? answers.stream(writer.chunks(), writer::ending, request.said().names())
        : answers.whole(writer::whole);
  }
}
