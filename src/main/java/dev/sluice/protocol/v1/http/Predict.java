package dev.sluice.protocol.v1.http;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.RequestOptions;
import dev.sluice.inference.SeveralAnswers;
import dev.sluice.inference.Signature;
import dev.sluice.inference.access.Caller;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.protocol.v1.TensorflowTypeNames;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.transport.Body;
import dev.sluice.transport.Exchange;
import dev.sluice.transport.http.HttpExchange;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Handles a predict request: finds and acquires the model, reads the document, decodes, runs,
 * encodes. The order of the steps decides which of several mistakes is reported; it is TensorFlow
 * Serving's.
 */
final class Predict {
  /**
   * A decoded request and how its answer is to look. Owns the request. Without inputs it is one for
   * no rows, which no model is asked.
   *
   * @param rows how many rows the answer must have; negative if any number will do
   */
  record Call(InferenceRequest request, ResponseLayout form, long rows) {}

  private static final long ANY = -1;

  private static final String NO_PREDICTIONS = "{\"predictions\":[]}";

  private final DataPlane data;
  private final V1Dialect lead;
  private final PredictKeys keys;
  private final boolean heedsParameters;

  Predict(DataPlane data, List<V1Dialect> dialects) {
    this(data, dialects.getFirst(), PredictKeys.of(dialects), true);
  }

  private Predict(DataPlane data, V1Dialect lead, PredictKeys keys, boolean heedsParameters) {
    this.data = data;
    this.lead = lead;
    this.keys = keys;
    this.heedsParameters = heedsParameters;
  }

  /** Returns one for bodies whose {@code parameters} are not for the model. */
  Predict withoutParameters() {
    return new Predict(data, lead, keys, false);
  }

  /** Returns the answer's body, later, or an {@link InferenceException}. */
  Future<Buffer> answer(HttpExchange exchange, ModelSelector selector, Envelope envelope) {
    return exchange
        .body()
        .recover(unread -> Future.failedFuture(lead.refuse(unread)))
        .compose(body ->
            exchange.compute(body.length(), () -> decode(body, selector, exchange, envelope)))
        .compose(call -> ask(exchange, call));
  }

  private Future<Buffer> ask(HttpExchange exchange, Call call) {
    if (call.request().inputs().isEmpty()) {
      call.request().close();
      return Future.succeededFuture(Buffer.buffer(NO_PREDICTIONS));
    }
    @Nullable Consumer<InferenceResponse> kept = lead.keep(call.request());
    return exchange.ask(
        data, call.request(), PredictEncoder::likelySize, response -> encode(response, call, kept));
  }

  private Buffer encode(
      InferenceResponse response, Call call, @Nullable Consumer<InferenceResponse> kept) {
    Buffer answer = encode(response, call);
    if (kept != null) {
      kept.accept(response);
    }
    return answer;
  }

  private Buffer encode(InferenceResponse response, Call call) {
    requireJson(call.request().signature());
    try {
      if (call.rows() != ANY) {
        PredictEncoder.requireRows(response, call.rows());
      }
      return PredictEncoder.encode(response, call.form(), lead.writesNulls());
    } catch (InferenceException e) {
      throw new InferenceException(lead.notRows(), e.getMessage(), e);
    }
  }

  /**
   * Requires that what a signature gives can be written.
   *
   * @throws InferenceException with INVALID_ARGUMENT if not
   */
  void requireJson(Signature signature) {
    for (TensorSpec output : signature.outputs()) {
      // What other formats have beyond tensors is not shown at all.
      boolean shown =
          output.type() != DataType.UNSUPPORTED || TensorflowTypeNames.isTensorflow(output);
      if (shown && !lead.carries(output)) {
        throw InferenceException.invalid(
            "Failed to write JSON value for tensor type: " + TensorflowTypeNames.of(output));
      }
    }
  }

  /** Returns whether numbers that are not finite are written as null. */
  boolean writesNulls() {
    return lead.writesNulls();
  }

  /** Decodes a body for a model; the request takes over the lease. */
  Call decode(Body body, ModelSelector selector, Exchange exchange, Envelope envelope) {
    return decode(body, selector, exchange.caller(), exchange, envelope);
  }

  /** Returns a copy with the rights of another caller. */
  Call decode(
      Body body, ModelSelector selector, Caller caller, Exchange exchange, Envelope envelope) {
    // Before the document is read: that is most of the work, and overload is no time for work.
    return switch (data.admit(selector, caller)) {
      case ModelLookup.Found(ModelLease found) ->
          found.handOver(model -> decode(body, model, exchange, envelope));
      case ModelLookup.Missed missed -> {
        if (!lead.looksForTheModelFirst()) {
          read(open(body, envelope), envelope);
        }
        throw lead.refuse(selector, missed);
      }
    };
  }

  Body open(Body body, Envelope envelope) {
    try {
      return envelope.open(body);
    } catch (JsonException e) {
      throw envelope.refuse(e, lead, body.length() == 0);
    }
  }

  PredictDocument read(Body body, Envelope envelope) {
    try {
      PredictDocument document = PredictDocument.read(body);
      if (document.instances() < 0 && document.inputs() < 0) {
        Optional<Body> inner = envelope.within(body);
        if (inner.isPresent()) {
          return PredictDocument.read(inner.get());
        }
      }
      return document;
    } catch (JsonException e) {
      throw envelope.refuse(e, lead, body.length() == 0);
    }
  }

  private Call decode(Body sent, ModelLease model, Exchange exchange, Envelope envelope) {
    Body body = open(sent, envelope);
    @Nullable PlainRows rows = PlainRows.read(body, model, lead);
    return rows == null
        ? decodeCarefully(read(body, envelope), model, exchange)
        : call(
            model,
            rows.signature(),
            new PredictDecoder.Decoded(rows.inputs(), ResponseLayout.ROWS),
            RequestOptions.NONE,
            exchange);
  }

  Call decodeCarefully(PredictDocument document, ModelLease model, Exchange exchange) {
    Signature signature = document.signature(model.metadata());
    RequestOptions options =
        heedsParameters
            ? PredictParameters.read(document, model.id().name(), model.metadata())
            : RequestOptions.NONE;
    var decoder = new PredictDecoder(document, model, signature, keys, lead);
    return call(model, signature, decoder.decode(), options, exchange);
  }

  private Call call(
      ModelLease model,
      Signature signature,
      PredictDecoder.Decoded decoded,
      RequestOptions options,
      Exchange exchange) {
    try {
      lead.requirePredict(model.metadata(), signature);
    } catch (RuntimeException e) {
      NamedTensor.closeAll(decoded.inputs());
      throw e;
    }
    var request =
        new InferenceRequest(
            model,
            signature,
            decoded.inputs(),
            List.of(),
            exchange.deadline(),
            exchange.requestId(),
            options);
    boolean each = lead.answersEachRow() && decoded.form() == ResponseLayout.ROWS;
    return new Call(request, decoded.form(), each ? rows(request) : ANY);
  }

  /** Returns how many rows a request has; a request for several answers has that many for each. */
  private static long rows(InferenceRequest request) {
    if (request.inputs().isEmpty()
        || request.options().parameters().containsKey(SeveralAnswers.PARAMETER)) {
      return ANY;
    }
    Shape first = request.inputs().getFirst().tensor().shape();
    return first.rank() == 0 ? ANY : first.dim(0);
  }
}
