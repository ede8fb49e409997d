package dev.sluice.protocol.oip.http;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Reads a stream that is to have one response. Of one event loop.
 *
 * <p>Used where a protocol has no streams: a second response, or none, is an error.
 */
final class SingleResponseReader implements Flow.Subscriber<InferenceResponse> {
  private final Promise<InferenceResponse> promise = Promise.promise();
  private Flow.@Nullable Subscription subscription;
  private @Nullable InferenceResponse only;
  private boolean abandoned;

  /** Returns the response, or why there is not just one. */
  Future<InferenceResponse> response() {
    return promise.future();
  }

  /** Cancels the response. */
  void abandon() {
    abandoned = true;
    if (subscription != null) {
      subscription.cancel();
    }
    drop();
  }

  private void drop() {
    if (only != null) {
      only.close();
      only = null;
    }
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription = given;
    if (abandoned) {
      given.cancel();
    } else {
      given.request(2);
    }
  }

  @Override
  public void onNext(InferenceResponse response) {
    if (only == null) {
      only = response;
      return;
    }
    response.close();
    abandon();
    promise.fail(notOne());
  }

  private static InferenceException notOne() {
    return new InferenceException(
        ErrorCode.INVALID_ARGUMENT,
        "generate expects model to produce exactly 1 response, use generate stream for model that"
            + " generates various number of responses");
  }

  @Override
  public void onError(Throwable failure) {
    drop();
    promise.fail(failure);
  }

  @Override
  public void onComplete() {
    InferenceResponse response = only;
    only = null;
    if (response == null) {
      promise.fail(notOne());
    } else {
      promise.complete(response);
    }
  }
}
