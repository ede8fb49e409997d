package dev.sluice.protocol.v1.http;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.Signature;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.explain.ExplainParameters;
import dev.sluice.inference.explain.Explainer;
import dev.sluice.inference.explain.ExplanationSource;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.transport.Body;
import dev.sluice.transport.http.HttpExchange;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.List;

/**
 * Handles an explain request: the body is that of a predict request, with {@code parameters} for
 * the explanation. KServe leaves the answer to the explainer; here it always has {@code
 * predictions} and {@code explanations}, one of each for each instance.
 */
final class Explain {
  private static final String EXPLANATIONS = "explanations";

  private final Predict predict;
  private final DataPlane data;
  private final Explainer explainer;
  private final V1Dialect lead;

  Explain(Predict predict, DataPlane data, Explainer explainer, List<V1Dialect> dialects) {
    this.predict = predict;
    this.data = data;
    this.explainer = explainer;
    this.lead = dialects.getFirst();
  }

  /** The parameters of a call, once the model is known. */
  private sealed interface Asked {
    /** Returns the request to the model itself. */
    InferenceRequest model();

    /** Owns both requests. */
    record OfModel(InferenceRequest model, InferenceRequest explainer) implements Asked {}

    /** Owns the request and the parameters. */
    record OfSampling(InferenceRequest model, ExplainParameters parameters) implements Asked {}
  }

  /** A request for explanations as it came. */
  private record Call(
      Body body, ModelSelector selector, HttpExchange exchange, Envelope envelope) {}

  /** Returns the answer's body, later, or an {@link InferenceException}. */
  Future<Buffer> answer(HttpExchange exchange, ModelSelector selector, Envelope envelope) {
    return exchange
        .body()
        .recover(unread -> Future.failedFuture(lead.refuse(unread)))
        .compose(body -> {
          var call = new Call(body, selector, exchange, envelope);
          return exchange.compute(body.length(), () -> decode(call));
        })
        .compose(asked -> {
          exchange.record().asked(asked.model());
          return ask(exchange, asked);
        });
  }

  private Asked decode(Call call) {
    return switch (data.admit(call.selector, call.exchange.caller())) {
      case ModelLookup.Found(ModelLease model) -> decode(call, model);
      case ModelLookup.Missed missed -> throw lead.refuse(call.selector, missed);
    };
  }

  private Asked decode(Call call, ModelLease model) {
    if (explainer.explainedBy(model) instanceof ExplanationSource.Sampling) {
      return model.handOver(lease -> sampling(call, lease));
    }
    // The lease is released first: the requests to both models are admitted by themselves.
    ExplanationSource source = model.read(explainer::explainedBy);
    if (source instanceof ExplanationSource.Model(String other)) {
      return byModel(call, other);
    }
    throw new InferenceException(
        ErrorCode.UNIMPLEMENTED, "model \"" + call.selector.name() + "\" has no explainer");
  }

  private Asked sampling(Call call, ModelLease model) {
    ExplainParameters parameters = ExplainParameters.NONE;
    try {
      PredictDocument document =
          predict.read(predict.open(call.body, call.envelope), call.envelope);
      Signature signature = document.signature(model.metadata());
      predict.requireJson(signature);
      parameters = ExplainParametersReader.read(document, signature);
      InferenceRequest request = predict.decodeCarefully(document, model, call.exchange).request();
      return new Asked.OfSampling(request, parameters);
    } catch (RuntimeException | Error e) {
      parameters.close();
      throw e;
    }
  }

  private Asked byModel(Call call, String other) {
    requireReady(call.selector.name(), other);
    InferenceRequest asked = request(call, call.selector, call.exchange.caller());
    try {
      return new Asked.OfModel(asked, explaining(call, other));
    } catch (RuntimeException | Error e) {
      asked.close();
      throw e;
    }
  }

  /** Returns the explaining model belongs to the explained one: a caller needs no right to it. */
  private InferenceRequest explaining(Call call, String other) {
    Caller caller = call.exchange.caller().withServerRights();
    return request(call, new ModelSelector.Latest(other), caller);
  }

  private InferenceRequest request(Call call, ModelSelector selector, Caller caller) {
    return predict.decode(call.body, selector, caller, call.exchange, call.envelope).request();
  }

  private void requireReady(String model, String other) {
    switch (data.find(new ModelSelector.Latest(other), Caller.SERVER, Operation.EXPLAIN)) {
      case ModelLookup.Found(ModelLease found) -> found.read(ModelLease::id);
      case ModelLookup.Missed _ ->
          throw new InferenceException(
              ErrorCode.UNAVAILABLE,
              "model \"%s\" is explained by model \"%s\", which is not ready"
                  .formatted(model, other));
    }
  }

  private Future<Buffer> ask(HttpExchange exchange, Asked asked) {
    return switch (asked) {
      case Asked.OfModel both -> ask(exchange, both);
      case Asked.OfSampling sampling -> ask(exchange, sampling);
    };
  }

  private Future<Buffer> ask(HttpExchange exchange, Asked.OfSampling sampling) {
    if (sampling.model.inputs().isEmpty()) {
      sampling.parameters.close();
      return nothing(sampling.model);
    }
    exchange.onCancel(sampling.model::cancel);
    return explainer
        .explain(sampling.model, sampling.parameters)
        .compose(explanation -> {
          exchange.record().answered();
          return exchange
              .compute(
                  ExplainEncoder.likelySize(explanation),
                  () -> ExplainEncoder.encode(explanation, predict.writesNulls()))
              .onComplete(_ -> explanation.close());
        });
  }

  private static Future<Buffer> nothing(InferenceRequest request) {
    request.close();
    return Future.succeededFuture(Buffer.buffer(ExplainEncoder.NOTHING));
  }

  private Future<Buffer> ask(HttpExchange exchange, Asked.OfModel both) {
    if (both.model.inputs().isEmpty()) {
      both.explainer.close();
      return nothing(both.model);
    }
    exchange.onCancel(() -> {
      both.model.cancel();
      both.explainer.cancel();
    });
    both.explainer.countsFor(both.model);
    Future<InferenceResponse> predictions = data.infer(both.model);
    Future<InferenceResponse> explanations = data.infer(both.explainer);
    return Future.join(predictions, explanations)
        .map(_ -> {
          exchange.record().answered();
          predict.requireJson(both.model.signature());
          predict.requireJson(both.explainer.signature());
          return encode(predictions.result(), explanations.result());
        })
        .onComplete(_ -> {
          close(predictions);
          close(explanations);
        });
  }

  private static void close(Future<InferenceResponse> answer) {
    if (answer.succeeded()) {
      answer.result().close();
    }
  }

  private Buffer encode(InferenceResponse predictions, InferenceResponse explanations) {
    var out = new JsonWriter(1024).nullsForNonFinite(predict.writesNulls()).raw('{');
    PredictEncoder.rows(predictions, PredictEncoder.PREDICTIONS, out);
    out.raw(',');
    PredictEncoder.rows(explanations, EXPLANATIONS, out);
    return out.raw('}').toBuffer();
  }
}
