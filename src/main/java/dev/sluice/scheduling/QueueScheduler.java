package dev.sluice.scheduling;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.scheduling.deadline.CallerContexts;
import dev.sluice.scheduling.queue.CancellableQueue;
import dev.sluice.scheduling.queue.ModelQueue;
import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.telemetry.meter.FailureReason;
import dev.sluice.telemetry.meter.VersionMeter;
import io.vertx.core.Future;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;

/**
 * Lets requests wait in a bounded queue that a model's workers take from.
 *
 * <p>Threads: submits on the caller's event loop, which never blocks. Admission to the queue is one
 * counter; a full queue rejects.
 *
 * @param contexts find the event loop of a request
 * @param queue shared with the workers
 * @param rows by how many rows a request may join others; 0 if it runs alone
 * @param arrived called with a request after it was put into the queue
 * @param meter counts those that are refused
 * @param nanoTime the clock that waiting is measured with
 * @param cancellableQueue of the same queue
 */
public record QueueScheduler(
    CallerContexts contexts,
    ModelQueue queue,
    ToIntFunction<InferenceRequest> rows,
    Consumer<PendingRequest> arrived,
    VersionMeter meter,
    LongSupplier nanoTime,
    CancellableQueue cancellableQueue)
    implements Scheduler {
  @Override
  public Future<InferenceResponse> submit(InferenceRequest request) {
    var pending =
        new PendingRequest(
            request, contexts.current(), rows.applyAsInt(request), nanoTime.getAsLong());
    InferenceException refusal = cancellableQueue.refusal();
    if (refusal != null) {
      refuse(pending, refusal, FailureReason.OTHER);
      return pending.answer();
    }
    switch (cancellableQueue.offer(pending)) {
      case TAKEN -> taken(pending);
      case FULL -> refuse(pending, queue.full(request.model().id().name()), FailureReason.REJECTED);
      case CLOSED -> refuse(pending, closed(request), FailureReason.OTHER);
    }
    return pending.answer();
  }

  private void taken(PendingRequest pending) {
    if (pending.hasQueueTimeout()) {
      pending.answer().onComplete(_ -> cancellableQueue.answered(pending));
    }
    arrived.accept(pending);
  }

  private void refuse(PendingRequest pending, InferenceException failure, FailureReason reason) {
    meter.refused(reason);
    pending.complete(failure);
    pending.deliver();
  }

  private static InferenceException closed(InferenceRequest request) {
    return new InferenceException(
        ErrorCode.UNAVAILABLE, "model '" + request.model().id() + "' is being unloaded");
  }

  @Override
  public void close() {
    for (PendingRequest waiting : queue.close()) {
      meter.refused(FailureReason.OTHER);
      waiting.complete(closed(waiting.request()));
      if (waiting.onCompletion()) {
        waiting.callerContext().runOnContext(_ -> waiting.deliver());
      }
    }
  }
}
