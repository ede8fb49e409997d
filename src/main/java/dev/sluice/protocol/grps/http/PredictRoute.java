package dev.sluice.protocol.grps.http;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.protocol.grps.DataForm;
import dev.sluice.protocol.grps.GrpsStatus;
import dev.sluice.protocol.grps.PredictCall;
import dev.sluice.protocol.grps.RequestInputs;
import dev.sluice.protocol.grps.SingleInput;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.transport.Body;
import dev.sluice.transport.http.HttpExchange;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers {@code /infer/predict}: JSON or bytes in, JSON or bytes out, at once or as a stream.
 *
 * <p>The content type of the request decides between JSON and bytes; the setting of the stream
 * control whether the answer is a stream.
 */
record PredictRoute(PredictCall call, StreamControl control) {
  private static final String JSON = "application/json";
  private static final String BYTES = "application/octet-stream";

  void predict(HttpExchange http) {
    var query = new PredictQueryParameters(http.query());
    http.body()
        .compose(body -> predict(http, query, body))
        .onFailure(e -> MessageJson.answer(http, GrpsStatus.ofPrediction(http.explain(e))));
  }

  private Future<Void> predict(HttpExchange http, PredictQueryParameters query, Body body) {
    boolean streaming = control.asksInHead(http, query);
    return switch (mediaType(http.header("Content-Type"))) {
      case JSON -> predictJson(http, query, body, streaming);
      case BYTES ->
          streaming || control.asksInBody(body)
              ? streamBytes(http, query, body)
              : predictBytes(http, query, body);
      default -> throw InferenceException.invalid("Content type is not supported.");
    };
  }

  private Future<Void> predictJson(
      HttpExchange http, PredictQueryParameters query, Body body, boolean streaming) {
    return http.compute(body.length(), () -> JsonMessage.scan(body, control.bodyKey()))
        .compose(message ->
            streaming || message.streaming()
                ? streamJson(http, query, body, message)
                : predictJson(http, query, body, message));
  }

  private Future<Void> predictJson(
      HttpExchange http, PredictQueryParameters query, Body body, JsonMessage message) {
    return call.run(
            http,
            message.model().isEmpty() ? query.model() : message.model(),
            body.length(),
            message::decode,
            response -> answer(query, message.form(), response))
        .onSuccess(answer -> answer.send(http))
        .mapEmpty();
  }

  private Future<Void> streamJson(
      HttpExchange http, PredictQueryParameters query, Body body, JsonMessage message) {
    String model = message.model().isEmpty() ? query.model() : message.model();
    return stream(http, query, model, body, message.form(), message::decode);
  }

  private Future<Void> streamBytes(HttpExchange http, PredictQueryParameters query, Body body) {
    return stream(
        http, query, query.model(), body, DataForm.BYTES, inputs -> addBytes(inputs, body));
  }

  /** Opens the stream; a missing model is reported in it, as the native server does. */
  private Future<Void> stream(
      HttpExchange http,
      PredictQueryParameters query,
      String model,
      Body body,
      DataForm form,
      Consumer<RequestInputs> decoder) {
    if (query.returnNdArray()) {
      throw InferenceException.invalid(
          "Streaming and ret ndarray are not supported at the same time.");
    }
    var client = new StreamedResponse(http, control.contentType());
    try {
      return call.stream(
          http, model, body.length(), decoder, client, response -> message(form, response));
    } catch (InferenceException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
      client.fail(e);
      return Future.succeededFuture();
    }
  }

  /** Returns a message of a stream; one in JSON ends its line, as the native server has it. */
  private static Buffer message(DataForm form, InferenceResponse response) {
    PredictResponseBody answer = PredictResponseBody.of(form, response);
    return answer.isJson() ? answer.body().appendString("\n") : answer.body();
  }

  private static void addBytes(RequestInputs inputs, Body body) {
    inputs.message(DataForm.BYTES, "");
    TensorSpec input = inputs.only(DataForm.BYTES);
    inputs.add(input, SingleInput.raw(input, body));
  }

  private Future<Void> predictBytes(HttpExchange http, PredictQueryParameters query, Body body) {
    return call.run(
            http,
            query.model(),
            body.length(),
            inputs -> addBytes(inputs, body),
            response -> answer(query, DataForm.BYTES, response))
        .onSuccess(answer -> answer.send(http))
        .mapEmpty();
  }

  private static PredictResponseBody answer(
      PredictQueryParameters query, DataForm asked, InferenceResponse response) {
    return query.returnNdArray()
        ? PredictResponseBody.ndArray(response)
        : PredictResponseBody.of(asked, response);
  }

  /** Returns a content type without its parameters, in lower case. */
  private static String mediaType(@Nullable String contentType) {
    if (contentType == null) {
      return "";
    }
    int semicolon = contentType.indexOf(';');
    String type = semicolon < 0 ? contentType : contentType.substring(0, semicolon);
    return type.strip().toLowerCase(Locale.ROOT);
  }
}
