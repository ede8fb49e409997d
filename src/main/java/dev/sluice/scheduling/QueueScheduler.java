package dev.sluice.scheduling;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.scheduling.queue.ModelQueue;
import dev.sluice.scheduling.queue.Pending;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.function.LongSupplier;

/** First come, first served: a bounded queue that a model's workers take from. */
public final class QueueScheduler implements Scheduler {
  private final Vertx vertx;
  private final ModelQueue queue;
  private final Runnable wake;
  private final LongSupplier nanoTime;

  /**
   * @param vertx tells which event loop a request comes from
   * @param queue shared with the workers
   * @param wake called after a request was put into the queue
   * @param nanoTime the clock that waiting is measured with
   */
  public QueueScheduler(Vertx vertx, ModelQueue queue, Runnable wake, LongSupplier nanoTime) {
    this.vertx = vertx;
    this.queue = queue;
    this.wake = wake;
    this.nanoTime = nanoTime;
  }

  @Override
  public Future<InferenceResponse> submit(InferenceRequest request) {
    var pending = new Pending(request, vertx.getOrCreateContext(), nanoTime.getAsLong());
    switch (queue.offer(pending)) {
      case TAKEN -> wake.run();
      case FULL -> pending.fail(full(request));
      case CLOSED -> pending.fail(closed(request));
    }
    return pending.answer();
  }

  private InferenceException full(InferenceRequest request) {
    return new InferenceException(
        ErrorCode.RESOURCE_EXHAUSTED,
        "model '%s' has %d requests waiting: Exceeds maximum queue size"
            .formatted(request.model().id().name(), queue.capacity()));
  }

  private static InferenceException closed(InferenceRequest request) {
    return new InferenceException(
        ErrorCode.UNAVAILABLE, "model '" + request.model().id() + "' is being unloaded");
  }

  @Override
  public void close() {
    for (Pending waiting : queue.close()) {
      waiting.home().runOnContext(_ -> waiting.fail(closed(waiting.request())));
    }
  }
}
