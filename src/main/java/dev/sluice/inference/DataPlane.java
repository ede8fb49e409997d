package dev.sluice.inference;

import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import io.vertx.core.CompositeFuture;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Flow;

/**
 * Data plane: finds a model and runs inference on it. The only way from a protocol to a model.
 *
 * <p>Every protocol handler calls this interface and no other of the inference path, so each
 * protocol is admitted, queued and answered alike.
 */
public interface DataPlane {
  /**
   * Finds a model for an operation of a caller, and acquires a lease on it. Never blocks; any
   * thread.
   *
   * @throws InferenceException PERMISSION_DENIED if the caller has no right to this operation on a
   *     model of this name, whether there is one or not
   */
  ModelLookup find(ModelSelector selector, Caller caller, Operation operation);

  /**
   * Looks a model up for one request to it: {@link #find}, if the model is not overloaded, for
   * {@link Operation#INFER}. The lease names the caller: {@link ModelLease#caller}. Asked before
   * the request's tensors are decoded, so that refusing costs little. The lease counts as a request
   * until it is released.
   *
   * @throws InferenceException as {@link #find}, or RESOURCE_EXHAUSTED with {@link
   *     InferenceException#retryAfter} if too many requests are there already
   */
  default ModelLookup admit(ModelSelector selector, Caller caller) {
    return find(selector, caller, Operation.INFER);
  }

  /**
   * Answers a request, later.
   *
   * <p>Called on an event loop; the future completes on the same one. Takes the request over: its
   * tensors are freed and its model is given back, whatever happens. Fails with an {@link
   * InferenceException}. The response belongs to the caller of this method.
   */
  Future<InferenceResponse> infer(InferenceRequest request);

  /**
   * Answers several requests at once, all or none: what fails one of them cancels the others, and
   * closes the responses that there are. Takes them over, and is called, as {@link #infer}.
   *
   * @return the responses in the order of the requests, which belong to the caller of this method
   */
  default Future<List<InferenceResponse>> inferAll(List<InferenceRequest> requests) {
    List<Future<InferenceResponse>> answers = requests.stream().map(this::infer).toList();
    return Future.all(answers)
        .onFailure(_ -> {
          requests.forEach(InferenceRequest::cancel);
          answers.forEach(answer -> answer.onSuccess(InferenceResponse::close));
        })
        .map(CompositeFuture::<InferenceResponse>list);
  }

  /**
   * Answers a request by a stream: any number of responses, in order, each as soon as it is there
   * and the subscriber has asked for it. The model works no further than that, so a slow reader
   * slows it down.
   *
   * <p>Called on an event loop, where the subscriber is called too, now or later, never after it
   * has cancelled. Takes the request over, as {@link #infer} does: at the latest when the stream
   * ends or is cancelled, which stops the model's work within one step. Fails with an {@link
   * InferenceException}, also after some responses. The responses belong to the subscriber.
   *
   * @param subscriber requests and cancels on the same event loop
   */
  default void inferStream(
      InferenceRequest request, Flow.Subscriber<? super InferenceResponse> subscriber) {
    throw new UnsupportedOperationException("no streams here");
  }

  /** Returns the model whose plugin answers an HTTP path, if there is one. Any thread. */
  default Optional<String> modelAt(String path) {
    return Optional.empty();
  }

  /**
   * Has a model's plugin answer an HTTP request, later. Takes over the lease.
   *
   * <p>Called on the call's event loop. Whatever happens, the call is answered: with UNIMPLEMENTED
   * if the model has no such code.
   */
  default void handle(ModelLease model, PluginHttpCall call) {
    throw new UnsupportedOperationException("no own code here");
  }
}
