package dev.sluice.scheduling.sequence;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.SequenceStep;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;

/**
 * One request of a sequence, which it owns until it runs. Answered on the event loop that asked.
 */
final class SequenceRequest {
  private final InferenceRequest request;
  private final SequencePlan plan;
  private final Context callerContext;
  private final long sinceNanos;
  private final Promise<InferenceResponse> answer = Promise.promise();

  private int start;

  /**
   * @param callerContext the event loop that asked
   * @param sinceNanos when it began to wait
   */
  SequenceRequest(
      InferenceRequest request, SequencePlan plan, Context callerContext, long sinceNanos) {
    this.request = request;
    this.plan = plan;
    this.callerContext = callerContext;
    this.sinceNanos = sinceNanos;
  }

  InferenceRequest request() {
    return request;
  }

  SequencePlan plan() {
    return plan;
  }

  Context callerContext() {
    return callerContext;
  }

  SequenceStep place() {
    return request.options().sequence();
  }

  Future<InferenceResponse> answer() {
    return answer.future();
  }

  /** Says to which start of its sequence it belongs, counted from 1. Before it waits. */
  void belongsTo(int count) {
    start = count;
  }

  int start() {
    return start;
  }

  /** Returns whether the request is cancelled or expired, or has waited too long. */
  boolean isAbandoned(long nowNanos, long timeoutNanos) {
    return request.isCancelled()
        || request.deadline().hasPassed(nowNanos)
        || nowNanos - sinceNanos >= timeoutNanos;
  }

  /** Returns why it was not run, if it {@link #isAbandoned}. */
  InferenceException abandoned(long nowNanos) {
    if (request.isCancelled()) {
      return new InferenceException(ErrorCode.CANCELLED, "the caller left before the model ran");
    }
    boolean busy = request.options().timeoutMicros() > 0 || !request.deadline().hasPassed(nowNanos);
    return new InferenceException(
        busy ? ErrorCode.UNAVAILABLE : ErrorCode.DEADLINE_EXCEEDED,
        "Request timeout expired: timeout of the corresponding sequence has been expired");
  }

  /** Gives the answer. On the event loop that asked. */
  void succeed(InferenceResponse response) {
    answer.complete(response);
  }

  /** Frees the request unless it has run, and gives the failure. On the event loop that asked. */
  void fail(Throwable failure) {
    request.close();
    answer.fail(failure);
  }

  /** The same from any thread. */
  void failOnCallerContext(InferenceException failure) {
    callerContext.runOnContext(_ -> fail(failure));
  }
}
