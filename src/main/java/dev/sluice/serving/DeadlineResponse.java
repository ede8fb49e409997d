package dev.sluice.serving;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.scheduling.Scheduler;
import dev.sluice.scheduling.deadline.DeadlineEntry;
import dev.sluice.scheduling.deadline.DeadlineWheels;
import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.function.LongSupplier;

/*
 * How a wait ends at its deadline
 *
 * Answered.  The caller is, by the event loop that it came from, whatever the request waits for: its
 *            turn, a run that cannot be stopped, steps of an ensemble, another of its sequence.
 * Queue.     Who waits for a turn is taken out of the line, and answers itself before this does.
 * Run.       Goes on until it can be stopped, or ends. The request keeps its inputs, and the model,
 *            until then; what it still brings is closed here.
 */

/**
 * The answer to a request with a deadline, given at the deadline at the latest. Of one event loop.
 *
 * <p>Idempotent: whichever of answer and deadline comes first completes the future; the other one
 * only frees memory.
 */
final class DeadlineResponse extends DeadlineEntry {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final InferenceRequest request;
  private final Context eventLoop;
  private final DeadlineWheels deadlines;
  private final LongSupplier nanoTime;
  private final long sinceNanos;
  private final Promise<InferenceResponse> answer = Promise.promise();

  private DeadlineResponse(
      InferenceRequest request,
      Context eventLoop,
      DeadlineWheels deadlines,
      LongSupplier nanoTime) {
    this.request = request;
    this.eventLoop = eventLoop;
    this.deadlines = deadlines;
    this.nanoTime = nanoTime;
    this.sinceNanos = nanoTime.getAsLong();
  }

  /**
   * Submits a request, and answers at its deadline whether or not the scheduler does.
   *
   * @param request taken over
   * @param caller the caller context
   */
  static Future<InferenceResponse> of(
      InferenceRequest request,
      Scheduler scheduler,
      Context caller,
      DeadlineWheels deadlines,
      LongSupplier nanoTime) {
    Context eventLoop = deadlines.eventLoop(caller);
    var timed = new DeadlineResponse(request, eventLoop, deadlines, nanoTime);
    Future<InferenceResponse> answer = scheduler.submit(request);
    if (answer.isComplete()) {
      return answer;
    }
    deadlines.watch(eventLoop, timed);
    answer.onComplete(timed::answered);
    return timed.answer.future();
  }

  private void answered(AsyncResult<InferenceResponse> result) {
    deadlines.end(eventLoop, this);
    if (result.failed()) {
      answer.tryFail(result.cause());
    } else if (!answer.tryComplete(result.result())) {
      result.result().close();
    }
  }

  @Override
  protected long expiresNanos() {
    return request.deadline().nanos();
  }

  @Override
  protected void expire() {
    request.expire();
    // What is taken out of a queue by that knows better why, and is answered before this.
    eventLoop.runOnContext(_ -> fail());
  }

  private void fail() {
    long waited = (nanoTime.getAsLong() - sinceNanos) / NANOS_PER_MILLI;
    answer.tryFail(
        new InferenceException(
            ErrorCode.DEADLINE_EXCEEDED,
            "Request timeout expired after " + waited + " ms while the model ran"));
  }
}
