package dev.sluice.scheduling.stream;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.scheduling.admission.CallerShares;
import dev.sluice.scheduling.queue.CacheHolder;
import dev.sluice.scheduling.queue.CancellableQueue;
import dev.sluice.scheduling.queue.ModelQueue;
import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.telemetry.meter.FailureReason;
import dev.sluice.telemetry.meter.VersionMeter;
import io.vertx.core.Context;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;

/**
 * Admits the streams of one model and puts their steps into its queue. Any thread.
 *
 * <p>Admission control of streams: one beyond the limit is rejected at once. A permit is held from
 * the first step to the last.
 */
final class StreamAdmission {
  private final ModelQueue queue;
  private final CancellableQueue cancellableQueue;
  private final ToIntFunction<InferenceRequest> rows;
  private final Consumer<PendingRequest> arrived;
  private final VersionMeter meter;
  private final LongSupplier nanoTime;
  private final int maxStreams;
  private final CallerShares shares;
  private final AtomicInteger streams = new AtomicInteger();

  /**
   * @param queue shared with the workers
   * @param cancellableQueue of the same queue
   * @param rows by how many rows a step may join others; 0 if it runs alone
   * @param arrived called with a step that an event loop put into the queue
   * @param meter counts streams when they end
   * @param nanoTime the queue's clock
   * @param maxStreams streams that may be open at once
   */
  StreamAdmission(
      ModelQueue queue,
      CancellableQueue cancellableQueue,
      ToIntFunction<InferenceRequest> rows,
      Consumer<PendingRequest> arrived,
      VersionMeter meter,
      LongSupplier nanoTime,
      int maxStreams) {
    this.queue = queue;
    this.cancellableQueue = cancellableQueue;
    this.rows = rows;
    this.arrived = arrived;
    this.meter = meter;
    this.nanoTime = nanoTime;
    this.maxStreams = maxStreams;
    this.shares = new CallerShares(maxStreams, "streams", "stream.max_streams");
  }

  /**
   * Counts in a stream.
   *
   * @throws InferenceException RESOURCE_EXHAUSTED if there are too many, or too many of the
   *     caller's
   */
  void enter(InferenceRequest request) {
    shares.take(request.model().caller(), request.model().id().name());
    if (streams.incrementAndGet() > maxStreams) {
      left(request);
      throw tooMany(request);
    }
  }

  /** Counts out a stream. */
  void left(InferenceRequest request) {
    streams.decrementAndGet();
    shares.release(request.model().caller());
  }

  /** Gives back what was reserved for a stream's caches; it, too, may have been in others' way. */
  void cacheFreed(CacheHolder stream, long bytes) {
    queue.streamEnded(stream, bytes);
  }

  /** Gives back the same of a stream that goes on later. */
  void preempted(CacheHolder stream) {
    queue.streamPreempted(stream);
  }

  /** Lets a stream be preempted from now on. */
  void letPreempt(CacheHolder stream, InferenceRequest request) {
    queue.letPreempt(stream, request);
  }

  /** Takes a step out of the queue again; false if a worker has it, or it was answered. */
  boolean takeBack(PendingRequest step) {
    return queue.withdraw(step);
  }

  /** Returns the time, in nanoseconds. */
  long now() {
    return nanoTime.getAsLong();
  }

  /** Records that a stream has ended well. */
  void ended(InferenceRequest request, CacheHolder stream) {
    meter.streamed(request.signature().name(), stream.sinceNanos());
  }

  /** Records that a stream that has begun ends without one of its steps having failed. */
  void failed(CacheHolder stream, FailureReason reason) {
    meter.withdrawn(reason, stream.sinceNanos());
  }

  /**
   * Puts a stream's first step into the queue, where it waits like any request.
   *
   * @throws InferenceException if there is no place, there will never be memory for its caches, or
   *     the model is out of service; the step stays the caller's
   */
  void offerFirst(InferenceRequest step, Context callerContext, CacheHolder stream) {
    InferenceException refusal = cancellableQueue.refusal();
    if (refusal != null) {
      throw refusal;
    }
    queue.caches().requireEver(stream.cacheBytes(), step.model().id().name());
    var waiting =
        new PendingRequest(step, callerContext, rows.applyAsInt(step), stream.sinceNanos(), stream);
    switch (cancellableQueue.offer(waiting)) {
      case TAKEN -> arrived.accept(waiting);
      case FULL -> throw queue.full(step.model().id().name());
      case CLOSED -> throw closed(step);
    }
  }

  /**
   * Returns a later step, ready to be put into the queue.
   *
   * @param reservesCache whether memory is reserved for its caches
   */
  PendingRequest underWay(
      InferenceRequest step, Context callerContext, CacheHolder stream, boolean reservesCache) {
    return PendingRequest.underWay(
        step, callerContext, rows.applyAsInt(step), nanoTime.getAsLong(), stream, reservesCache);
  }

  /** Puts a later step into the queue; false if the queue is closed. */
  boolean offer(PendingRequest step) {
    return cancellableQueue.offerNext(step);
  }

  /** Announces a step to the workers. */
  void arrived(PendingRequest step) {
    arrived.accept(step);
  }

  private InferenceException tooMany(InferenceRequest request) {
    return new InferenceException(
        ErrorCode.RESOURCE_EXHAUSTED,
        "model '%s' has %d streams already (setting stream.max_streams)"
            .formatted(request.model().id().name(), maxStreams));
  }

  static InferenceException closed(InferenceRequest request) {
    return new InferenceException(
        ErrorCode.UNAVAILABLE, "model '" + request.model().id() + "' is being unloaded");
  }
}
