package dev.sluice.scheduling.queue;

import dev.sluice.inference.InferenceException;
import dev.sluice.scheduling.breaker.CircuitBreaker;
import dev.sluice.scheduling.deadline.CallerContexts;
import dev.sluice.scheduling.deadline.DeadlineWheels;
import dev.sluice.telemetry.meter.FailureReason;
import dev.sluice.telemetry.meter.VersionMeter;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Removes abandoned requests from one model's queue: answers those that are cancelled, expired or
 * over the queue timeout at once, without a worker. Any thread.
 */
public final class CancellableQueue implements Consumer<PendingRequest> {
  private final ModelQueue queue;
  private final VersionMeter meter;
  private final DeadlineWheels wheels;
  private final CircuitBreaker breaker;
  private final Runnable expired;
  private final LongSupplier nanoTime;

  /**
   * @param meter counts those that were taken out
   * @param expired called for each expired request
   * @param breaker of the model
   */
  public CancellableQueue(
      ModelQueue queue,
      VersionMeter meter,
      Runnable expired,
      CircuitBreaker breaker,
      CallerContexts contexts,
      LongSupplier nanoTime) {
    this.expired = expired;
    this.breaker = breaker;
    this.queue = queue;
    this.meter = meter;
    this.wheels = new DeadlineWheels(contexts, nanoTime);
    this.nanoTime = nanoTime;
  }

  /** Returns why a request is refused before it is put into the queue; null if it may be. */
  public @Nullable InferenceException refusal() {
    return breaker.refusal();
  }

  /** Refuses all that waits for a model that hangs. */
  public void refuseWaiting() {
    if (!breaker.hangs()) {
      return;
    }
    InferenceException why = breaker.refusal();
    if (why != null) {
      for (PendingRequest waiting : queue.takeAll()) {
        meter.withdrawn(FailureReason.OTHER, waiting.sinceNanos());
        answer(waiting, why);
      }
    }
  }

  /** Puts a request into the queue, and takes it out when it is abandoned. */
  public QueueIntake.Offer offer(PendingRequest request) {
    request.onAbandoned(this);
    QueueIntake.Offer offer = queue.offer(request);
    if (offer == QueueIntake.Offer.TAKEN) {
      watch(request);
    }
    return offer;
  }

  /**
   * Returns the same for a step of a stream that was let in before.
   *
   * @return false if the queue is closed; the step stays the caller's
   */
  public boolean offerNext(PendingRequest step) {
    step.onAbandoned(this);
    boolean taken = queue.offerNext(step);
    if (taken && step.request().isCancelled()) {
      accept(step);
    }
    refuseWaiting();
    return taken;
  }

  private void watch(PendingRequest request) {
    if (request.request().isCancelled()) {
      accept(request);
    }
    if (request.hasQueueTimeout()) {
      wheels.watch(request.callerContext(), request);
    }
    // The thread that opened the breaker meanwhile has not seen it.
    refuseWaiting();
  }

  /** Records that a request has its answer. On its event loop. */
  public void answered(PendingRequest request) {
    wheels.end(request.callerContext(), request);
  }

  @Override
  public void accept(PendingRequest request) {
    long now = nanoTime.getAsLong();
    boolean over = request.isAbandoned(now) || request.hasWaitedTooLong(now);
    if (!over || !queue.withdraw(request)) {
      return;
    }
    boolean cancelled = request.request().isCancelled();
    meter.withdrawn(
        cancelled ? FailureReason.CANCELED : FailureReason.REJECTED, request.sinceNanos());
    if (!cancelled) {
      expired.run();
    }
    answer(request, request.abandonedInQueue(now));
  }

  private static void answer(PendingRequest request, InferenceException why) {
    request.complete(why);
    if (request.onCompletion()) {
      request.callerContext().runOnContext(_ -> request.deliver());
    }
  }
}
