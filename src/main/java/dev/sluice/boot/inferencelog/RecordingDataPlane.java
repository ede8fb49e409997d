package dev.sluice.boot.inferencelog;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.PluginHttpCall;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import io.vertx.core.Future;
import java.util.Optional;
import java.util.concurrent.Flow;

/**
 * Records requests on their way to the data plane and back: a request's inputs before it is handed
 * over, a response's outputs before its caller gets them. What models ask of each other is not
 * recorded.
 */
public record RecordingDataPlane(DataPlane next, InferenceLogWriter log) implements DataPlane {
  @Override
  public ModelLookup find(ModelSelector selector, Caller caller, Operation operation) {
    return next.find(selector, caller, operation);
  }

  @Override
  public ModelLookup admit(ModelSelector selector, Caller caller) {
    return next.admit(selector, caller);
  }

  @Override
  public Future<InferenceResponse> infer(InferenceRequest request) {
    RecordedCall call = log.begin(request, false);
    if (call == null) {
      return next.infer(request);
    }
    // Before the caller's own handlers, which close the response.
    return next.infer(request)
        .onComplete(
            response -> {
              call.add(response);
              log.end(call, null);
            },
            failure -> log.end(call, failure));
  }

  @Override
  public void inferStream(
      InferenceRequest request, Flow.Subscriber<? super InferenceResponse> subscriber) {
    RecordedCall call = log.begin(request, true);
    next.inferStream(request, call == null ? subscriber : new Recording(call, subscriber));
  }

  @Override
  public Optional<String> modelAt(String path) {
    return next.modelAt(path);
  }

  @Override
  public void handle(ModelLease model, PluginHttpCall call) {
    next.handle(model, call);
  }

  /** Passes a stream on, and records it. Of the event loop of its request. */
  private final class Recording implements Flow.Subscriber<InferenceResponse> {
    private final RecordedCall call;
    private final Flow.Subscriber<? super InferenceResponse> subscriber;

    Recording(RecordedCall call, Flow.Subscriber<? super InferenceResponse> subscriber) {
      this.call = call;
      this.subscriber = subscriber;
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
      subscriber.onSubscribe(
          new Flow.Subscription() {
            @Override
            public void request(long more) {
              given.request(more);
            }

            @Override
            public void cancel() {
              log.end(call, new InferenceException(ErrorCode.CANCELLED, "the caller has left"));
              given.cancel();
            }
          });
    }

    @Override
    public void onNext(InferenceResponse response) {
      call.add(response);
      subscriber.onNext(response);
    }

    @Override
    public void onError(Throwable failure) {
      log.end(call, failure);
      subscriber.onError(failure);
    }

    @Override
    public void onComplete() {
      log.end(call, null);
      subscriber.onComplete();
    }
  }
}
