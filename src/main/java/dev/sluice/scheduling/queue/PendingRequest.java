package dev.sluice.scheduling.queue;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.LoopStep;
import dev.sluice.scheduling.deadline.DeadlineEntry;
import io.vertx.core.Context;
import io.vertx.core.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A queued request and its caller's event loop. Completed once, on any thread, and delivered on
 * that event loop. Owns the request until then.
 */
public final class PendingRequest extends DeadlineEntry implements Runnable {
  private static final long NANOS_PER_MILLI = 1_000_000;

  /** The error of a stream that has begun: a step of it may have waited for no time at all. */
  public static final String STREAM_EXPIRED = "Request timeout expired before the stream had ended";

  private final InferenceRequest request;
  private final Context callerContext;

  /** Set before it is queued, then by the holder of the queue. */
  private int rows;

  private final long sinceNanos;
  private final Recipient recipient;
  private final boolean underWay;
  private @Nullable Consumer<PendingRequest> whenAbandoned;
  private @Nullable InferenceResponse response;
  private @Nullable InferenceException failure;

  /** Set before it is queued, then the event loop's. */
  private @Nullable PendingRequest earlier;

  /** The event loop's. */
  private boolean delivered;

  // Its place in the one PendingRequests that it is in, which of the queue's that is, and how long
  // it may stay there.
  @Nullable PendingRequest next;
  @Nullable PendingRequest previous;
  int line;
  boolean inLine;
  long queueTimeoutNanos = Long.MAX_VALUE;

  /** Whether memory is reserved for its stream's caches, since it came or since earlier. */
  boolean reservesCache;

  /** After how long it is refused, which nothing changes. */
  long timeoutNanos = Long.MAX_VALUE;

  /**
   * @param request taken over
   * @param callerContext the event loop that asked
   * @param rows of dimension 0 by which it may join others; 0 if it runs alone
   * @param sinceNanos when it began to wait
   */
  public PendingRequest(
      InferenceRequest request, Context callerContext, int rows, long sinceNanos) {
    this(request, callerContext, rows, sinceNanos, new SingleResponse(), false);
  }

  /** A request whose result a recipient gets. */
  public PendingRequest(
      InferenceRequest request,
      Context callerContext,
      int rows,
      long sinceNanos,
      Recipient recipient) {
    this(request, callerContext, rows, sinceNanos, recipient, false);
  }

  private PendingRequest(
      InferenceRequest request,
      Context callerContext,
      int rows,
      long sinceNanos,
      Recipient recipient,
      boolean underWay) {
    this.request = request;
    this.callerContext = callerContext;
    this.rows = rows;
    this.sinceNanos = sinceNanos;
    this.recipient = recipient;
    this.underWay = underWay;
  }

  /**
   * Returns a step of a stream that has begun, so that its caller sees it work: it does not wait
   * for a batch delay, nor is it rejected for having waited long.
   */
  public static PendingRequest underWay(
      InferenceRequest request,
      Context callerContext,
      int rows,
      long sinceNanos,
      Recipient recipient) {
    return new PendingRequest(request, callerContext, rows, sinceNanos, recipient, true);
  }

  /**
   * Returns the same of a stream with caches.
   *
   * @param reservesCache whether memory is reserved for them; if not, the step waits for that
   */
  public static PendingRequest underWay(
      InferenceRequest request,
      Context callerContext,
      int rows,
      long sinceNanos,
      CacheHolder stream,
      boolean reservesCache) {
    PendingRequest step = underWay(request, callerContext, rows, sinceNanos, stream);
    step.reservesCache = reservesCache;
    return step;
  }

  /** Returns the request, which this owns until its response is decided. */
  public InferenceRequest request() {
    return request;
  }

  /** Returns the caller's event loop, on which the response completes. */
  public Context callerContext() {
    return callerContext;
  }

  /** Rows of dimension 0 by which it may join others; 0 if it runs alone. */
  public int rows() {
    return rows;
  }

  /** Lets it run alone. */
  void runAlone() {
    rows = 0;
  }

  /** Returns when it may run. */
  LoopStep.Turn turn() {
    LoopStep.Prefill prefill = request.prefill();
    return prefill == null ? LoopStep.Turn.ANY : prefill.turn();
  }

  /** Returns the time at which it was queued. */
  public long sinceNanos() {
    return sinceNanos;
  }

  /** Returns the answer to come, unless a recipient was named. */
  public Future<InferenceResponse> answer() {
    if (recipient instanceof SingleResponse answer) {
      return answer.future();
    }
    throw new IllegalStateException("another one gets the answer");
  }

  /** Returns whether it is a step of a stream that has begun. */
  public boolean isUnderWay() {
    return underWay;
  }

  /** Returns whether it is a step of a stream, the first or a later one. */
  public boolean isStep() {
    return recipient instanceof CacheHolder;
  }

  /** Returns the most bytes that its stream may keep from step to step; 0 if it is none. */
  public long cacheBytes() {
    return recipient instanceof CacheHolder stream ? stream.cacheBytes() : 0;
  }

  /** Returns when its stream came, if it is one; or else itself. */
  private long streamSinceNanos() {
    return recipient instanceof CacheHolder stream ? stream.sinceNanos() : sinceNanos;
  }

  /** Returns whether its stream, which has begun and waits again, goes before another. */
  boolean goesBefore(PendingRequest other) {
    return streamSinceNanos() - other.streamSinceNanos() < 0;
  }

  /**
   * Returns whether memory is reserved for its stream's caches. By who has taken it from the queue.
   */
  public boolean hasReservedCache() {
    return reservesCache;
  }

  /**
   * Has this called when the request {@link #isAbandoned} or {@link #hasWaitedTooLong}, on any
   * thread, as long as it waits. Not after it was put into a queue.
   */
  public void onAbandoned(Consumer<PendingRequest> action) {
    whenAbandoned = action;
    request.onAbandoned(this);
  }

  /** Is called by the request when it is cancelled or has expired. */
  @Override
  public void run() {
    if (whenAbandoned != null) {
      whenAbandoned.accept(this);
    }
  }

  /**
   * Returns whether it may wait only so long, whatever its caller says. Not before it is in a
   * queue.
   */
  public boolean hasQueueTimeout() {
    return timeoutNanos != Long.MAX_VALUE && !underWay;
  }

  @Override
  protected long expiresNanos() {
    return sinceNanos + timeoutNanos;
  }

  @Override
  protected void expire() {
    run();
  }

  /** Returns whether the request is cancelled or expired. */
  public boolean isAbandoned(long nowNanos) {
    return request.isCancelled() || request.deadline().hasPassed(nowNanos);
  }

  /** Returns whether it has waited for longer than its queue lets it. */
  public boolean hasWaitedTooLong(long nowNanos) {
    return nowNanos - sinceNanos >= queueTimeoutNanos && !underWay;
  }

  /** Returns why it was not run, if it {@link #isAbandoned} or {@link #hasWaitedTooLong}. */
  public InferenceException abandonedInQueue(long nowNanos) {
    // A request with a queue timeout is answered that the model was busy; a caller's own deadline,
    // that it has passed.
    boolean busy = request.options().timeoutMicros() > 0 || !request.deadline().hasPassed(nowNanos);
    return abandoned(
        nowNanos,
        "before the model ran",
        "in the queue",
        busy ? ErrorCode.UNAVAILABLE : ErrorCode.DEADLINE_EXCEEDED);
  }

  /** Returns why it gets no answer although it ran, if it {@link #isAbandoned} by now. */
  public InferenceException abandonedInRun(long nowNanos) {
    return abandoned(
        nowNanos, "while the model ran", "while the model ran", ErrorCode.DEADLINE_EXCEEDED);
  }

  private InferenceException abandoned(
      long nowNanos, String whenLeft, String whenExpired, ErrorCode expired) {
    if (request.isCancelled()) {
      return new InferenceException(ErrorCode.CANCELLED, "the caller left " + whenLeft);
    }
    if (underWay) {
      return new InferenceException(ErrorCode.DEADLINE_EXCEEDED, STREAM_EXPIRED);
    }
    long waitedMillis = (nowNanos - sinceNanos) / NANOS_PER_MILLI;
    return new InferenceException(
        expired, "Request timeout expired after " + waitedMillis + " ms " + whenExpired);
  }

  /**
   * Decides the answer, which {@link #deliver} then brings: for a stream it may be just its end.
   */
  public void complete(@Nullable InferenceResponse completed) {
    response = completed;
  }

  /** Decides that the answer is a failure. */
  public void complete(InferenceException completed) {
    response = null;
    failure = completed;
  }

  /**
   * Lets the recipient see what was decided, on the thread that decided it.
   *
   * @return whether anything is to be delivered
   */
  public boolean onCompletion() {
    return recipient.onCompletion(this);
  }

  /**
   * Has the answer of an earlier step of the same stream delivered before this one's: another
   * worker may have run it and hold its answer back. Not after it was put into a queue.
   *
   * @param step whose answer is decided; null if there is none
   */
  public void follows(@Nullable PendingRequest step) {
    earlier = step;
  }

  /**
   * Frees the request and gives the answer that was decided, once, after that of the step that it
   * {@link #follows}. Keeps no answer: the next step may be made long after. On the event loop that
   * asked.
   */
  public void deliver() {
    if (delivered) {
      return;
    }
    delivered = true;
    if (earlier != null) {
      earlier.deliver();
      earlier = null;
    }
    request.close();
    @Nullable InferenceResponse decided = response;
    response = null;
    recipient.deliver(decided, failure);
  }

  /** Lets its caller wait no longer while it runs. Any thread; what it holds is kept. */
  public void giveUp(InferenceException why) {
    callerContext.runOnContext(_ -> recipient.giveUp(why));
  }

  /**
   * Lets its caller wait no longer while it runs, and gives its model back: the run may never end.
   * Any thread; its inputs are kept.
   */
  public void abandonRun(InferenceException why) {
    callerContext.runOnContext(_ -> {
      recipient.giveUp(why);
      request.releaseModel();
    });
  }

  /** Returns the response; null for a failure, and when it was delivered. */
  public @Nullable InferenceResponse response() {
    return response;
  }

  /** Returns why there is no response; null if there is one. */
  public @Nullable InferenceException failure() {
    return failure;
  }
}
