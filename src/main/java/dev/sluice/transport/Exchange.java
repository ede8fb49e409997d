package dev.sluice.transport;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.access.Caller;
import dev.sluice.telemetry.CallRecord;
import dev.sluice.telemetry.meter.Api;
import dev.sluice.tensor.MemoryAccount;
import io.vertx.core.Future;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * One request in a protocol handler, on any transport. Belongs to the event loop of its connection;
 * every future it gives completes there.
 */
public interface Exchange {
  /**
   * Returns the name of the request in logs: the caller's {@code x-request-id}, or one made here.
   */
  String requestId();

  /**
   * Returns the caller.
   *
   * @throws InferenceException UNAUTHENTICATED for a credential that is not valid
   */
  Caller caller();

  /** Returns the client's address, for logs; null if there is none to tell. */
  default @Nullable Object peer() {
    return null;
  }

  /** Returns what the caller addressed: the path of a request, or a service and its method. */
  default String path() {
    return "";
  }

  /** Returns the deadline of the request, by the wire or by the settings. */
  Deadline deadline();

  /** Returns what the request holds of the server's memory budget. */
  MemoryAccount memory();

  /**
   * Runs work that takes time in proportion to a size: at once if that is small, else on a worker,
   * so that the event loop is never held. What the work throws fails the future.
   *
   * @param bytes the size
   */
  <T> Future<T> compute(long bytes, Supplier<T> work);

  /**
   * Runs the action if the caller disconnects before the response is complete: at once if it did
   * already. One action; another replaces it.
   */
  void onCancel(Runnable action);

  /** Returns its times, and what it is counted as. */
  CallRecord record();

  /**
   * Has this call counted and timed, however it ends. Called as soon as the model's name is known,
   * on the event loop or on the worker that decodes.
   *
   * @param model the name in the request, of a model that there is or not
   */
  default void measure(Api api, String model) {
    record().measure(api, model);
  }

  /**
   * Decodes a request to an admitted model, at once or on a worker: see {@link #compute}.
   *
   * @param model the lease, which what the decoder makes owns from then on; released if decoding
   *     fails
   */
  default <T> Future<T> decode(long bytes, ModelLease model, Supplier<T> decoder) {
    return compute(bytes, decoder).onFailure(_ -> model.release());
  }

  /**
   * Asks a model, and encodes its response, at once or on a worker. Takes the request over, and
   * closes the response, whatever happens.
   *
   * @param encoder makes the answer of the response, which it borrows
   */
  default <T> Future<T> ask(
      DataPlane data, InferenceRequest request, Function<InferenceResponse, T> encoder) {
    return ask(data, request, InferenceResponse::work, encoder);
  }

  /**
   * The same for answers that are much longer or shorter than their tensors.
   *
   * @param size estimates the bytes of an answer
   */
  default <T> Future<T> ask(
      DataPlane data,
      InferenceRequest request,
      ToLongFunction<InferenceResponse> size,
      Function<InferenceResponse, T> encoder) {
    return ask(data, request)
        .compose(response ->
            compute(size.applyAsLong(response), () -> encoder.apply(response))
                .onComplete(_ -> response.close()));
  }

  /** Asks a model, and cancels the request if the caller goes away. Takes the request over. */
  default Future<InferenceResponse> ask(DataPlane data, InferenceRequest request) {
    onCancel(request::cancel);
    record().asked(request);
    return data.infer(request)
        .map(response -> {
          record().answered();
          return response;
        });
  }
}
