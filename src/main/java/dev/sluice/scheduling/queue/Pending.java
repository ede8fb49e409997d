package dev.sluice.scheduling.queue;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;

/**
 * A request that waits for its answer, and the event loop that wants it. Answered exactly once, on
 * that event loop. Owns the request until it is closed.
 */
public final class Pending {
  private final InferenceRequest request;
  private final Context home;
  private final long sinceNanos;
  private final Promise<InferenceResponse> answer = Promise.promise();

  /**
   * @param request taken over
   * @param home the event loop that asked
   * @param sinceNanos when it began to wait
   */
  public Pending(InferenceRequest request, Context home, long sinceNanos) {
    this.request = request;
    this.home = home;
    this.sinceNanos = sinceNanos;
  }

  public InferenceRequest request() {
    return request;
  }

  public Context home() {
    return home;
  }

  /** When it began to wait. */
  public long sinceNanos() {
    return sinceNanos;
  }

  public Future<InferenceResponse> answer() {
    return answer.future();
  }

  /** Answers. On the event loop that asked. */
  public void succeed(InferenceResponse response) {
    request.close();
    answer.complete(response);
  }

  /** Answers with a failure. On the event loop that asked. */
  public void fail(InferenceException failure) {
    request.close();
    answer.fail(failure);
  }
}
