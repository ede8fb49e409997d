package dev.sluice.scheduling.queue;

import dev.sluice.inference.InferenceException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Memory for what the streams of one model keep from step to step, their KV caches above all. A
 * stream reserves the most that it may come to keep before it begins, so that none that has begun
 * is refused later; until there is so much, it waits. One that is preempted gives back what it has
 * reserved, and waits once more. Changed by the holder of the queue; read by any thread.
 */
public final class CacheBudget {
  private final long limit;
  private final Runnable streamsBegin;
  private final AtomicLong reserved = new AtomicLong();
  private final AtomicInteger waiting = new AtomicInteger();
  private final LongAdder preempted = new LongAdder();
  private volatile Runnable whenReserved = () -> {};

  /**
   * @param limit bytes; 0: streams reserve nothing and never wait for memory
   * @param streamsBegin called on any thread when streams that have waited may begin
   */
  public CacheBudget(long limit, Runnable streamsBegin) {
    this.limit = limit;
    this.streamsBegin = streamsBegin;
  }

  /** Returns a budget without a limit. */
  static CacheBudget unlimited() {
    return new CacheBudget(0, () -> {});
  }

  /** Returns the number of bytes that streams have reserved. */
  public long reserved() {
    return reserved.get();
  }

  /** Returns the number of bytes that streams have not reserved. */
  public long free() {
    return limit == 0 ? Long.MAX_VALUE : limit - reserved.get();
  }

  /**
   * Has an action run whenever a stream has reserved memory, so that what others keep meanwhile of
   * what was {@link #free} is given up. It holds the queue then, so the action is short and locks
   * nothing that a holder of the queue may wait for.
   */
  public void onReserved(Runnable action) {
    whenReserved = action;
  }

  /** Returns how many streams wait for memory. */
  public int waiting() {
    return waiting.get();
  }

  /** Returns how often a stream has given its memory back before its end. */
  public long preemptions() {
    return preempted.sum();
  }

  /**
   * Refuses a stream that would wait for ever.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it may come to keep more than there is
   */
  public void requireEver(long bytes, String model) {
    if (limit > 0 && bytes > limit) {
      throw InferenceException.invalid(
          ("with its prompt and its most steps the stream may keep caches of %d bytes; all streams"
                  + " of model '%s' may keep %d (setting stream.cache_memory)")
              .formatted(bytes, model, limit));
    }
  }

  /** Returns whether a request is a step of a stream that has to reserve memory before it. */
  boolean concerns(PendingRequest request) {
    return limit > 0 && !request.reservesCache && request.cacheBytes() > 0;
  }

  /** Returns how many bytes are not free that a stream needs; none if it is not positive. */
  long missing(PendingRequest first) {
    return first.cacheBytes() - (limit - reserved.get());
  }

  /** Reserves memory for a stream; false, and nothing is reserved, if it is not free. */
  boolean tryReserve(PendingRequest first) {
    long bytes = first.cacheBytes();
    if (missing(first) > 0) {
      return false;
    }
    reserved.addAndGet(bytes);
    first.reservesCache = true;
    whenReserved.run();
    return true;
  }

  void waits() {
    waiting.incrementAndGet();
  }

  void waitsNoLonger() {
    waiting.decrementAndGet();
  }

  void preempted() {
    preempted.increment();
  }

  void release(long bytes) {
    reserved.addAndGet(-bytes);
  }

  void streamsBegin() {
    streamsBegin.run();
  }
}
