package dev.sluice.protocol.grps;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ServedModel;
import dev.sluice.telemetry.Api;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.transport.Exchange;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** The road of a predict call, the same for both faces: lend the model, decode, ask, encode. */
public final class PredictCall {
  private final DataPlane data;
  private final ModelChoice models;
  private final Room room;

  public PredictCall(DataPlane data, ModelChoice models, Room room) {
    this.data = data;
    this.models = models;
    this.room = room;
  }

  /**
   * Answers a call. Runs on the exchange's event loop; decoding and encoding leave it if there is
   * much to do. Whatever happens, tensors are freed and the model is given back.
   *
   * @param model the model's name in the request; empty if it names none
   * @param size bytes of the request
   * @param decoder fills the inputs
   * @param encoder makes the answer of the outputs, which it borrows
   */
  public <T> Future<T> run(
      Exchange exchange,
      String model,
      long size,
      Consumer<RequestInputs> decoder,
      Function<List<NamedTensor>, T> encoder) {
    exchange.measure(Api.GRPS_PREDICT, model);
    return room.enter(() -> predict(exchange, model, size, decoder, encoder));
  }

  private <T> Future<T> predict(
      Exchange exchange,
      String model,
      long size,
      Consumer<RequestInputs> decoder,
      Function<List<NamedTensor>, T> encoder) {
    ServedModel lent = models.lend(model);
    exchange.measure(Api.GRPS_PREDICT, lent.id().name());
    return exchange
        .compute(size, () -> decode(exchange, lent, decoder))
        .compose(request -> exchange.ask(data, request))
        .compose(response -> exchange.compute(byteSize(response), () -> encode(response, encoder)));
  }

  /** Makes the request, which owns the loan; if that fails, the loan is given back here. */
  private static InferenceRequest decode(
      Exchange exchange, ServedModel lent, Consumer<RequestInputs> decoder) {
    boolean decoded = false;
    try (var inputs = new RequestInputs(lent)) {
      decoder.accept(inputs);
      var request =
          new InferenceRequest(
              lent,
              inputs.signature(),
              inputs.take(),
              List.of(),
              exchange.deadline(),
              exchange.requestId());
      decoded = true;
      return request;
    } finally {
      if (!decoded) {
        lent.release();
      }
    }
  }

  private static long byteSize(InferenceResponse response) {
    long size = 0;
    for (NamedTensor output : response.outputs()) {
      size += output.tensor().byteSize();
    }
    return size;
  }

  private static <T> T encode(InferenceResponse response, Function<List<NamedTensor>, T> encoder) {
    try (response) {
      return encoder.apply(response.outputs());
    }
  }
}
