package dev.sluice.protocol.openai.generation;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.transport.StreamPump;
import dev.sluice.transport.http.HttpExchange;
import dev.sluice.transport.http.ServerSentEvents;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Answers a call by the answers to several requests: whole when all of them are there, or as events
 * of streams that go on side by side. What fails one of them ends them all. Of the call's event
 * loop.
 *
 * @param data runs requests
 * @param exchange the call
 * @param requests taken over, at least one
 */
public record ChoiceAnswers(
    DataPlane data, HttpExchange exchange, List<InferenceRequest> requests) {
  /** What is sent behind the last event of a stream that ends well. */
  public static final Buffer DONE = Buffer.buffer("data: [DONE]\n\n");

  public ChoiceAnswers {
    requests = List.copyOf(requests);
  }

  /**
   * Answers with all of them at once.
   *
   * @param encoder makes the body of the responses, in the order of the requests; borrows them
   * @return failed if one of them has failed; the call is not answered then
   */
  public Future<Void> whole(Function<List<InferenceResponse>, Buffer> encoder) {
    exchange.onCancel(() -> requests.forEach(InferenceRequest::cancel));
    exchange.record().asked(requests.getFirst());
    return data.inferAll(requests)
        .compose(responses -> {
          exchange.record().answered();
          long bytes = responses.stream().mapToLong(InferenceResponse::byteSize).sum();
          return exchange
              .compute(bytes, () -> encoder.apply(responses))
              .onComplete(_ -> responses.forEach(InferenceResponse::close));
        })
        .onSuccess(body -> exchange.json(200, body))
        .mapEmpty();
  }

  /**
   * Answers with events.
   *
   * @param encoders of each request, which makes the data of an event of its next response
   * @param ending makes the data of the last event, when all streams have ended well; empty for
   *     none
   * @param names what errors call what was asked
   * @return complete when all is over, however it ends
   */
  public Future<Void> stream(
      List<Function<InferenceResponse, Buffer>> encoders,
      Supplier<Buffer> ending,
      CallerNames names) {
    var events =
        new ServerSentEvents(exchange, failure -> OpenAiError.of(names.of(failure)), DONE, true);
    List<StreamPump> pumps = new ArrayList<>();
    var merged =
        new MergedStreams(
            events,
            requests.size(),
            () -> {
              Buffer last = ending.get();
              if (last.length() > 0) {
                events.write(last);
              }
              events.end();
            },
            () -> pumps.forEach(StreamPump::leave));
    encoders.forEach(encoder -> pumps.add(new StreamPump(exchange, merged, encoder)));
    List<Future<Void>> ended = new ArrayList<>();
    for (int i = 0; i < pumps.size(); i++) {
      ended.add(pumps.get(i).ask(data, requests.get(i)));
    }
    exchange.onCancel(() -> pumps.forEach(StreamPump::leave));
    return Future.all(ended).mapEmpty();
  }
}
