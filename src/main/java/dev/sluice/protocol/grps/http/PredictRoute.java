package dev.sluice.protocol.grps.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.grps.DataForm;
import dev.sluice.protocol.grps.GrpsStatus;
import dev.sluice.protocol.grps.PredictCall;
import dev.sluice.protocol.grps.SingleInput;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.transport.Body;
import dev.sluice.transport.http.HttpExchange;
import io.vertx.core.Future;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Answers {@code /infer/predict}: JSON or bytes in, JSON or bytes out. */
final class PredictRoute {
  private static final String JSON = "application/json";
  private static final String BYTES = "application/octet-stream";

  private final PredictCall call;

  PredictRoute(PredictCall call) {
    this.call = call;
  }

  void predict(HttpExchange http) {
    var query = new PredictQuery(http.query());
    if (query.streaming()) {
      MessageJson.answer(http, refuseStream(query));
      return;
    }
    http.body()
        .compose(body -> predict(http, query, body))
        .onSuccess(answer -> http.answer(answer.status(), answer.contentType(), answer.body()))
        .onFailure(e -> MessageJson.answer(http, GrpsStatus.ofPrediction(http.explain(e))));
  }

  private static GrpsStatus refuseStream(PredictQuery query) {
    return query.returnNdArray()
        ? new GrpsStatus(
            400, "Bad Request, err: Streaming and ret ndarray are not supported at the same time.")
        : new GrpsStatus(
            501, "streaming=true: this server does not answer predictions as a stream");
  }

  private Future<PredictAnswer> predict(HttpExchange http, PredictQuery query, Body body) {
    return switch (mediaType(http.header("Content-Type"))) {
      case JSON -> predictJson(http, query, body);
      case BYTES -> predictBytes(http, query, body);
      default -> throw InferenceException.invalid("Content type is not supported.");
    };
  }

  private Future<PredictAnswer> predictJson(HttpExchange http, PredictQuery query, Body body) {
    return http.compute(body.length(), () -> JsonMessage.scan(body))
        .compose(message ->
            call.run(
                http,
                message.model().isEmpty() ? query.model() : message.model(),
                body.length(),
                message::decode,
                outputs ->
                    query.returnNdArray()
                        ? PredictAnswer.ndArray(outputs)
                        : PredictAnswer.of(message.form(), outputs)));
  }

  private Future<PredictAnswer> predictBytes(HttpExchange http, PredictQuery query, Body body) {
    return call.run(
        http,
        query.model(),
        body.length(),
        inputs -> {
          TensorSpec input = inputs.only(DataForm.BYTES);
          inputs.add(input, SingleInput.raw(input, body));
        },
        outputs ->
            query.returnNdArray()
                ? PredictAnswer.ndArray(outputs)
                : PredictAnswer.of(DataForm.BYTES, outputs));
  }

  /** A content type without its parameters, in lower case. */
  private static String mediaType(@Nullable String contentType) {
    if (contentType == null) {
      return "";
    }
    int semicolon = contentType.indexOf(';');
    String type = semicolon < 0 ? contentType : contentType.substring(0, semicolon);
    return type.strip().toLowerCase(Locale.ROOT);
  }
}
