package dev.sluice.scheduling.stream;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.scheduling.deadline.CallerContexts;
import dev.sluice.scheduling.queue.CancellableQueue;
import dev.sluice.scheduling.queue.ModelQueue;
import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.telemetry.meter.VersionMeter;
import io.vertx.core.Context;
import io.vertx.core.Future;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;

/** Streams whose steps wait in the model's queue. */
public final class QueuedStreams implements StreamScheduler {
  /** Bytes whose filling would hold an event loop. */
  private static final long MUCH_WORK = 1 << 20;

  private final CallerContexts contexts;
  private final StreamPlan plan;
  private final StreamAdmission admission;
  private final LongSupplier nanoTime;

  /**
   * @param plan what a stream of this model consists of
   * @param queue shared with the workers
   * @param cancellableQueue of the same queue
   * @param rows by how many rows a step may join others; 0 if it runs alone
   * @param arrived called with a step that an event loop put into the queue
   * @param meter counts streams when they end
   * @param nanoTime the queue's clock
   * @param maxStreams streams that may be open at once
   */
  public QueuedStreams(
      CallerContexts contexts,
      StreamPlan plan,
      ModelQueue queue,
      CancellableQueue cancellableQueue,
      ToIntFunction<InferenceRequest> rows,
      Consumer<PendingRequest> arrived,
      VersionMeter meter,
      LongSupplier nanoTime,
      int maxStreams) {
    this.contexts = contexts;
    this.plan = plan;
    this.admission =
        new StreamAdmission(queue, cancellableQueue, rows, arrived, meter, nanoTime, maxStreams);
    this.nanoTime = nanoTime;
  }

  @Override
  public void stream(
      InferenceRequest request, Flow.Subscriber<? super InferenceResponse> subscriber) {
    try {
      admission.enter(request);
    } catch (InferenceException e) {
      refuse(request, subscriber, e);
      return;
    }
    Context callerContext = contexts.current();
    start(request, callerContext)
        .onSuccess(steps -> open(request, steps, subscriber, callerContext))
        .onFailure(e -> {
          admission.left(request);
          refuse(request, subscriber, QueuedStream.explain(request, e));
        });
  }

  private Future<StreamSteps> start(InferenceRequest request, Context callerContext) {
    if (plan.work() >= MUCH_WORK) {
      return callerContext.executeBlocking(() -> plan.start(request), false);
    }
    try {
      return Future.succeededFuture(plan.start(request));
    } catch (RuntimeException | Error e) {
      return Future.failedFuture(e);
    }
  }

  private void open(
      InferenceRequest request,
      StreamSteps steps,
      Flow.Subscriber<? super InferenceResponse> subscriber,
      Context callerContext) {
    var stream = new QueuedStream(admission, request, steps, subscriber, callerContext);
    watch(stream, request.deadline());
    subscriber.onSubscribe(stream);
  }

  /** Ends a stream that could not begin. */
  public static void refuse(
      InferenceRequest request,
      Flow.Subscriber<? super InferenceResponse> subscriber,
      InferenceException why) {
    request.close();
    subscriber.onSubscribe(NOTHING);
    subscriber.onError(why);
  }

  /** The subscription of a subscriber that fails at once. */
  private static final Flow.Subscription NOTHING =
      new Flow.Subscription() {
        @Override
        public void request(long count) {
          // There is nothing to come.
        }

        @Override
        public void cancel() {
          // There is nothing to come.
        }
      };

  private void watch(QueuedStream stream, Deadline deadline) {
    if (deadline.exists()) {
      long millis = TimeUnit.NANOSECONDS.toMillis(deadline.nanos() - nanoTime.getAsLong());
      stream.expiresBy(contexts.vertx().setTimer(Math.max(0, millis) + 1, _ -> stream.expire()));
    }
  }
}
