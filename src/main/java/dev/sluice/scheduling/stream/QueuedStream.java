package dev.sluice.scheduling.stream;

import static dev.sluice.telemetry.meter.FailureReason.BACKEND;
import static dev.sluice.telemetry.meter.FailureReason.CANCELED;
import static dev.sluice.telemetry.meter.FailureReason.OTHER;
import static dev.sluice.telemetry.meter.FailureReason.REJECTED;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.scheduling.queue.CacheHolder;
import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.tensor.NamedTensor;
import io.vertx.core.Context;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * How a stream proceeds
 *
 * Steps.    Each decode step is an ordinary request in the model's queue, so that the steps of many
 *           streams, and plain requests too, are batched. The worker that ran a step decides about
 *           the next one and enqueues it itself, before it takes its next batch: no other thread
 *           takes part in a step.
 * Demand.   Backpressure: counts what the subscriber has requested and not received. A step is
 *           enqueued only if there is demand. At zero the stream is parked, until the thread that
 *           raises the demand from zero resumes it. So it has one owner at any time, without a lock,
 *           and the counter or the queue is the happens-before edge to the next owner.
 * Order.    Several workers run the steps of one stream, one after the other, and each holds answers back
 *           for a moment. So each step refers to the last one that has an answer, which is delivered
 *           before its own, whichever of the two comes to the event loop first.
 * Bound.    What is under way to the subscriber is never more than its demand.
 * Cancel.   Cancelling marks the request. A parked stream is resumed and closed at once; one in the
 *           queue is found there by the next worker; one that runs is interrupted if its batch has no
 *           other requests, and in any case not continued.
 * Preempt.  The holder of the queue has a stream give up the memory of its caches. It sets a mark
 *            and has the event loop look. The owner of the stream obeys: the event loop one that is
 *            parked, or whose step it can take out of the queue; else the worker, before it makes the
 *            next step. Where it has not seen the mark by then, it has the event loop look again once
 *            the stream is parked or queued.
 *            The next step then computes the caches again, and waits until there is memory for them.
 * Deadline. A timer of the event loop notifies the subscriber at once, in any state of the stream; it
 *           then ends as a cancelled one does.
 */

/** One stream, from its first step to its end. */
final class QueuedStream implements Flow.Subscription, CacheHolder {
  private static final Logger LOG = LoggerFactory.getLogger(QueuedStream.class);

  private final StreamAdmission admission;
  private final InferenceRequest request;
  private final StreamSteps steps;
  private final Flow.Subscriber<? super InferenceResponse> subscriber;
  private final Context callerContext;
  private final AtomicLong demand = new AtomicLong();

  /** The step that was made and waits for demand. Belongs to who owns the stream. */
  private @Nullable InferenceRequest next;

  /** The last step whose answer is to be delivered. Belongs to who owns the stream. */
  private @Nullable PendingRequest last;

  /** When its first step was put into the queue. */
  private long sinceNanos;

  private boolean begun;

  /** Whether memory is reserved for its caches. Belongs to who owns the stream. */
  private boolean reservesCache;

  /** Whether it may be preempted. Belongs to who owns the stream. */
  private boolean preemptible;

  /** Whether it is to free its caches, and has not done so yet. */
  private volatile boolean preempted;

  /** The step that was put into the queue last, but for the first. */
  private volatile @Nullable PendingRequest queued;

  /** True once the subscriber is called no more. The event loop's. */
  private boolean done;

  /** Of its deadline; negative if it has none. The event loop's. */
  private long timer = -1;

  /**
   * @param request taken over
   * @param steps taken over
   */
  QueuedStream(
      StreamAdmission admission,
      InferenceRequest request,
      StreamSteps steps,
      Flow.Subscriber<? super InferenceResponse> subscriber,
      Context callerContext) {
    this.admission = admission;
    this.request = request;
    this.steps = steps;
    this.subscriber = subscriber;
    this.callerContext = callerContext;
  }

  /** Says which timer expires it. On the event loop. */
  void expiresBy(long timerId) {
    timer = timerId;
  }

  /** Ends the stream: the subscriber is called no more. */
  private void end() {
    done = true;
    if (timer >= 0) {
      callerContext.owner().cancelTimer(timer);
    }
  }

  @Override
  public void request(long count) {
    if (!done && demand.getAndAccumulate(count, Demand::sum) == 0) {
      takeUp();
    }
  }

  /** Cancels the stream. Idempotent, as {@link Flow.Subscription} demands. On the event loop. */
  @Override
  public void cancel() {
    if (!done) {
      end();
      request.cancel();
      closeIfParked();
    }
  }

  private void closeIfParked() {
    if (demand.compareAndSet(0, 1)) {
      if (begun) {
        admission.failed(this, request.isCancelled() ? CANCELED : REJECTED);
      }
      close();
    }
  }

  /** Expires the stream: fails the subscriber, whatever it waits for. On the event loop. */
  void expire() {
    if (!done) {
      end();
      request.expire();
      closeIfParked();
      subscriber.onError(
          new InferenceException(ErrorCode.DEADLINE_EXCEEDED, PendingRequest.STREAM_EXPIRED));
    }
  }

  /** The step under way may never end. What it leaves is freed when it does. */
  @Override
  public void giveUp(InferenceException why) {
    if (!done) {
      end();
      request.cancel();
      closeIfParked();
      subscriber.onError(why);
    }
  }

  /** Goes on with a parked stream. On the event loop. */
  private void takeUp() {
    try {
      if (begun) {
        resume();
      } else {
        begin();
      }
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  /** Ends a stream that the event loop owns, behind what was answered. */
  private void fail(Throwable failure) {
    // No demand takes up what was parked.
    demand.compareAndSet(0, 1);
    close();
    if (last != null) {
      last.deliver();
    }
    deliver(null, explain(request, failure));
  }

  private void begin() {
    begun = true;
    sinceNanos = admission.now();
    if (steps.isOver()) {
      admission.ended(request, this);
      close();
      deliver(null, null);
      return;
    }
    InferenceRequest step = steps.next();
    try {
      admission.offerFirst(step, callerContext, this);
    } catch (RuntimeException | Error e) {
      step.close();
      throw e;
    }
  }

  private void resume() {
    PendingRequest step = nextStep();
    if (!admission.offer(step)) {
      step.request().close();
      throw StreamAdmission.closed(request);
    }
    admission.arrived(step);
  }

  private PendingRequest nextStep() {
    InferenceRequest step = Objects.requireNonNull(next, "a step was made");
    next = null;
    PendingRequest following = admission.underWay(step, callerContext, this, reservesCache);
    following.follows(last);
    queued = following;
    return following;
  }

  @Override
  public long sinceNanos() {
    return sinceNanos;
  }

  @Override
  public void preempt() {
    preempted = true;
    callerContext.runOnContext(_ -> yieldIfOwned());
  }

  /** Preempts a stream that is parked, or whose step still waits. On the event loop. */
  private void yieldIfOwned() {
    // Before the mark: the worker that obeys clears it first, then parks or queues the stream.
    boolean parked = demand.get() == 0;
    PendingRequest step = queued;
    if (done || !preempted) {
      return;
    }
    try {
      if (parked) {
        freeNext();
        yieldCache();
        next = steps.next();
      } else if (step != null && admission.takeBack(step)) {
        step.request().close();
        yieldCache();
        next = steps.next();
        resume();
      }
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  /** Frees the caches, for steps that compute them again. By who owns the stream. */
  private void yieldCache() {
    steps.recompute();
    preempted = false;
    preemptible = false;
    reservesCache = false;
    admission.preempted(this);
  }

  @Override
  public long cacheBytes() {
    return steps.cacheBytes();
  }

  /** After a step has run, or was refused: mostly on a worker. */
  @Override
  public boolean onCompletion(PendingRequest step) {
    step.request().close();
    reservesCache |= step.hasReservedCache();
    try {
      InferenceResponse ran = step.response();
      if (ran != null) {
        return goOn(step, ran.outputs());
      }
      close();
      return true;
    } catch (RuntimeException | Error e) {
      admission.failed(this, BACKEND);
      close();
      step.complete(explain(request, e));
      return true;
    }
  }

  private boolean goOn(PendingRequest step, List<NamedTensor> outputs) {
    List<NamedTensor> sent = steps.take(outputs);
    boolean over = steps.isOver();
    step.complete(sent == null ? null : response(sent, over));
    if (over) {
      admission.ended(request, this);
      close();
      return true;
    }
    try {
      if (sent != null && demand.get() == 1) {
        steps.park();
      }
      next = nextInputs();
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(sent == null ? List.of() : sent);
      throw e;
    }
    if (sent != null) {
      last = step;
    }
    if (sent == null || demand.decrementAndGet() > 0) {
      offerNext();
    }
    if (preempted) {
      callerContext.runOnContext(_ -> yieldIfOwned());
    }
    return sent != null;
  }

  private InferenceRequest nextInputs() {
    if (reservesCache && !preemptible && steps.canRecompute()) {
      preemptible = true;
      admission.letPreempt(this, request);
    }
    if (preempted) {
      yieldCache();
    }
    return steps.next();
  }

  private InferenceResponse response(List<NamedTensor> sent, boolean last) {
    return new InferenceResponse(request.model().id(), request.signature(), sent, Map.of(), last);
  }

  private void offerNext() {
    PendingRequest step = nextStep();
    if (!admission.offer(step)) {
      step.request().close();
      admission.failed(this, OTHER);
      close();
      PendingRequest unanswered = last;
      callerContext.runOnContext(_ -> {
        if (unanswered != null) {
          unanswered.deliver();
        }
        deliver(null, StreamAdmission.closed(request));
      });
    }
  }

  /** Tells the subscriber. On the event loop. */
  @Override
  public void deliver(@Nullable InferenceResponse response, @Nullable InferenceException failure) {
    if (done) {
      if (response != null) {
        response.close();
      }
      // It may have been parked after it was cancelled.
      closeIfParked();
      return;
    }
    boolean ends = response == null || response.last();
    if (response != null) {
      subscriber.onNext(response);
    }
    if (done || !ends) {
      return;
    }
    end();
    if (failure == null) {
      subscriber.onComplete();
    } else {
      subscriber.onError(failure);
    }
  }

  /** Frees everything. By who owns the stream, once. */
  private void close() {
    steps.close();
    freeNext();
    request.close();
    admission.left(request);
    if (cacheBytes() > 0) {
      admission.cacheFreed(this, reservesCache ? cacheBytes() : 0);
    }
  }

  private void freeNext() {
    if (next != null) {
      next.close();
      next = null;
    }
  }

  static InferenceException explain(InferenceRequest request, Throwable failure) {
    if (failure instanceof InferenceException known) {
      return known;
    }
    LOG.atError()
        .addKeyValue("request", request.requestId())
        .addKeyValue("model", request.model().id())
        .setCause(failure)
        .log("a stream could not go on");
    return new InferenceException(ErrorCode.INTERNAL, "the model failed");
  }
}
