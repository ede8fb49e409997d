package dev.sluice.protocol.tfs.http;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelSelector;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.protocol.tfs.ExampleTask;
import dev.sluice.protocol.tfs.ExampleTasks;
import dev.sluice.protocol.tfs.ExamplesMessages;
import dev.sluice.protocol.tfs.requestlog.RequestLogs;
import dev.sluice.transport.Body;
import dev.sluice.transport.Exchange;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * Handles a classify or regress request: acquires the model, reads the examples, runs, writes the
 * results. A wrong body is reported before a missing model.
 *
 * @param dialect finds the words for failures
 * @param mostContext bytes that a context may take in all examples together
 */
record ExamplesCall(DataPlane data, TfsDialect dialect, ExampleTask task, long mostContext) {
  /** A question on its way, and what is to be done with the answer. Owns the request. */
  private record Asked(
      InferenceRequest request,
      ExampleTasks inquiry,
      long examples,
      RequestLogs.@Nullable Entry kept) {}

  /** Returns the answer's body, later, or an {@link InferenceException}. */
  Future<Buffer> answer(Exchange exchange, Future<Body> arriving, ModelSelector selector) {
    return arriving
        .recover(unread -> Future.failedFuture(dialect.refuse(unread)))
        .compose(body -> exchange.compute(body.length(), () -> decode(body, selector, exchange)))
        .compose(asked ->
            exchange.ask(data, asked.request(), response -> write(exchange, asked, response)));
  }

  private Asked decode(Body body, ModelSelector selector, Exchange exchange) {
    // Before the document is read: that is most of the work, and overload is no time for work.
    return switch (data.admit(selector, exchange.caller())) {
      case ModelLookup.Found(ModelLease found) ->
          found.handOver(model -> asked(read(body), model, exchange));
      case ModelLookup.Missed missed -> {
        read(body).examples().close();
        throw dialect.refuse(selector, missed);
      }
    };
  }

  private Asked asked(ExamplesDocument.Examples read, ModelLease model, Exchange exchange) {
    try {
      long count = read.examples().elementCount();
      ExampleTasks inquiry = ExampleTasks.of(task, model.metadata(), read.signature());
      InferenceRequest request =
          inquiry.request(model, read.examples(), exchange.deadline(), exchange.requestId());
      return new Asked(request, inquiry, count, dialect.keep(task, model.id(), read));
    } catch (RuntimeException | Error e) {
      read.examples().close();
      throw e;
    }
  }

  private ExamplesDocument.Examples read(Body body) {
    try {
      return ExamplesDocument.read(body, mostContext);
    } catch (JsonException e) {
      throw dialect.refuse(e, body.length() == 0);
    }
  }

  /** Counts the examples as well: TensorFlow Serving counts none of a run that failed. */
  private static Buffer write(Exchange exchange, Asked asked, InferenceResponse response) {
    exchange.record().examples(response.model().name(), asked.examples());
    ExampleTasks.Result result = asked.inquiry().read(response, asked.examples()).getFirst();
    Buffer body = ResultsJson.write(result);
    RequestLogs.Entry kept = asked.kept();
    if (kept != null) {
      kept.answered(ExamplesMessages.response(response.model(), result));
    }
    return body;
  }
}
