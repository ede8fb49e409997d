package dev.sluice.protocol.oip.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.ParameterValue;
import dev.sluice.protocol.oip.OipModels;
import dev.sluice.protocol.oip.OipServer;
import dev.sluice.protocol.oip.http.json.OipMetadataJson;
import dev.sluice.protocol.oip.http.json.OutputForms;
import dev.sluice.telemetry.meter.Api;
import dev.sluice.transport.Body;
import dev.sluice.transport.StreamPump;
import dev.sluice.transport.http.HttpExchange;
import dev.sluice.transport.http.ServerSentEvents;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One request in JSON; one answer in JSON of the same form, or a stream of them as events.
 *
 * <p>Triton's generate extension: {@code /generate} wants one response, {@code /generate_stream}
 * any number, sent as server-sent events with backpressure.
 */
record GenerateRoute(OipServer server) {
  void answer(HttpExchange exchange, ModelSelector selector) {
    requirePlain(exchange);
    exchange.measure(Api.OIP_GENERATE, selector.name());
    exchange
        .body()
        .compose(body -> decode(exchange, selector, body))
        .compose(decoded -> run(exchange, decoded))
        .onComplete(
            body -> exchange.json(200, body), failure -> OipHttpHandler.fail(exchange, failure));
  }

  /**
   * Refuses a compressed body, as Triton does here.
   *
   * @throws InferenceException with INVALID_ARGUMENT
   */
  static void requirePlain(HttpExchange exchange) {
    @Nullable String coding = exchange.header(HttpHeaders.CONTENT_ENCODING);
    if (coding != null && !coding.isEmpty() && !coding.equalsIgnoreCase("identity")) {
      throw InferenceException.invalid(
          "Unsupported content-encoding, only 'identity' is supported.");
    }
  }

  private Future<GenerateDecoder.Decoded> decode(
      HttpExchange exchange, ModelSelector selector, Body body) {
    exchange.record().sample(selector.name());
    Map<String, ParameterValue> headers = server.forwarded().ofHttp(exchange.headers());
    ModelLease model = OipModels.admit(server.data(), selector, exchange.caller());
    var decoder =
        new GenerateDecoder(server, model, exchange.deadline(), exchange.requestId(), headers);
    return exchange
        .decode(body.work(), model, () -> decoder.decode(body))
        .onSuccess(decoded -> exchange.record().traces(decoded.request(), decoded.id()));
  }

  /** Answers by server-sent events. */
  void stream(HttpExchange exchange, ModelSelector selector) {
    requirePlain(exchange);
    exchange.measure(Api.OIP_GENERATE, selector.name());
    exchange
        .body()
        .compose(body -> decode(exchange, selector, body))
        .onComplete(
            decoded -> pump(exchange, decoded), failure -> OipHttpHandler.fail(exchange, failure));
  }

  private void pump(HttpExchange exchange, GenerateDecoder.Decoded decoded) {
    new StreamPump(exchange, events(exchange), decoded.form())
        .ask(server.data(), decoded.request());
  }

  private static ServerSentEvents events(HttpExchange exchange) {
    return new ServerSentEvents(
        exchange, failure -> OipMetadataJson.error(failure.getMessage()), Buffer.buffer(), false);
  }

  /** Returns the answer of a model that may give any number, if it gives one. */
  private Future<InferenceResponse> ask(HttpExchange exchange, InferenceRequest request) {
    if (request.model().metadata().answersOnce()) {
      return exchange.ask(server.data(), request);
    }
    var one = new SingleResponseReader();
    exchange.onCancel(one::abandon);
    exchange.record().asked(request);
    server.data().inferStream(request, one);
    return one.response().onSuccess(_ -> exchange.record().answered());
  }

  private Future<Buffer> run(HttpExchange exchange, GenerateDecoder.Decoded decoded) {
    return ask(exchange, decoded.request())
        .compose(response -> encode(exchange, response, decoded.form()));
  }

  private static Future<Buffer> encode(
      HttpExchange exchange, InferenceResponse response, Function<InferenceResponse, Buffer> form) {
    long size = InferEncoder.likelySize(response, new OutputForms());
    return exchange.compute(size, () -> form.apply(response)).onComplete(_ -> response.close());
  }
}
