package dev.sluice.protocol.grps;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelLease;
import dev.sluice.telemetry.meter.Api;
import dev.sluice.transport.ClientStream;
import dev.sluice.transport.Exchange;
import dev.sluice.transport.StreamPump;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Handles a predict call for every transport: acquires the model, decodes, runs, encodes.
 *
 * <p>Whatever fails is answered once, in grps' form.
 */
public record PredictCall(
    DataPlane data, ModelResolver models, PredictConcurrencyLimit concurrencyLimit) {
  /**
   * Answers a call. Runs on the exchange's event loop; decoding and encoding leave it if there is
   * much to do. Whatever happens, tensors are freed and the lease of the model is released.
   *
   * @param model the model's name in the request; empty if it names none
   * @param size bytes of the request
   * @param decoder fills the inputs
   * @param encoder makes the answer of the response, which it borrows
   */
  public <T> Future<T> run(
      Exchange exchange,
      String model,
      long size,
      Consumer<RequestInputs> decoder,
      Function<InferenceResponse, T> encoder) {
    exchange.measure(Api.GRPS_PREDICT, model);
    return concurrencyLimit.enter(() -> predict(exchange, model, size, decoder, encoder));
  }

  private <T> Future<T> predict(
      Exchange exchange,
      String model,
      long size,
      Consumer<RequestInputs> decoder,
      Function<InferenceResponse, T> encoder) {
    ModelLease lease = models.acquire(model, exchange.caller());
    exchange.measure(Api.GRPS_PREDICT, lease.id().name());
    return exchange
        .decode(size, lease, () -> decode(exchange, lease, decoder))
        .compose(request -> exchange.ask(data, request, encoder));
  }

  /**
   * Answers a call by a stream. Runs on the exchange's event loop, as {@link #run} does.
   *
   * @param client gets the messages, and the final status
   * @param encoder makes a message of a response, which it does not own
   * @return complete when the stream is over and the client has its status; failed, without an
   *     answer yet, if the request could not be decoded
   */
  public Future<Void> stream(
      Exchange exchange,
      String model,
      long size,
      Consumer<RequestInputs> decoder,
      ClientStream client,
      Function<InferenceResponse, Buffer> encoder) {
    exchange.measure(Api.GRPS_STREAM, model);
    return concurrencyLimit.enter(() -> pump(exchange, model, size, decoder, client, encoder));
  }

  private Future<Void> pump(
      Exchange exchange,
      String model,
      long size,
      Consumer<RequestInputs> decoder,
      ClientStream client,
      Function<InferenceResponse, Buffer> encoder) {
    ModelLease lease = models.acquire(model, exchange.caller());
    exchange.measure(Api.GRPS_STREAM, lease.id().name());
    var pump = new StreamPump(exchange, client, encoder);
    return exchange
        .decode(size, lease, () -> decode(exchange, lease, decoder))
        .compose(request -> pump.ask(data, request));
  }

  /** Makes the request, which owns the lease; if that fails, the lease is left. */
  private static InferenceRequest decode(
      Exchange exchange, ModelLease lease, Consumer<RequestInputs> decoder) {
    try (var inputs = new RequestInputs(lease)) {
      List<String> outputs = inputs.signature().commonOutputs(List.of());
      decoder.accept(inputs);
      return new InferenceRequest(
          lease,
          inputs.signature(),
          inputs.take(),
          outputs,
          exchange.deadline(),
          exchange.requestId(),
          inputs.options());
    }
  }
}
