package dev.sluice.scheduling.queue;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import org.jspecify.annotations.Nullable;

/** Waits for the one answer to a request. */
final class SingleResponse implements Recipient {
  private final Promise<InferenceResponse> promise = Promise.promise();

  Future<InferenceResponse> future() {
    return promise.future();
  }

  @Override
  public void deliver(@Nullable InferenceResponse response, @Nullable InferenceException failure) {
    if (response != null) {
      if (!promise.tryComplete(response)) {
        response.close();
      }
    } else if (failure != null) {
      promise.tryFail(failure);
    } else {
      throw new IllegalStateException("no answer was decided");
    }
  }

  @Override
  public void giveUp(InferenceException why) {
    promise.tryFail(why);
  }
}
