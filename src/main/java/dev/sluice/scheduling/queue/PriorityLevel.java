package dev.sluice.scheduling.queue;

import dev.sluice.config.model.QueuePolicy;
import dev.sluice.inference.LoopStep;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The requests of one level of priority: those in line, behind them those who have waited too long
 * but stay, and apart from both the streams that wait for memory or for a prompt. The lines are for
 * the holder of the queue, the counter for any thread.
 */
final class PriorityLevel {
  private static final long NANOS_PER_MICRO = 1_000;
  private static final long LONGEST_MICROS = Long.MAX_VALUE / NANOS_PER_MICRO;

  final PendingRequests fresh = new PendingRequests();
  final PendingRequests late = new PendingRequests();

  /** Streams that wait for memory before they may stand in line. */
  final PendingRequests held = new PendingRequests();

  /** Streams that wait for another one's prompt. */
  PendingRequests following = new PendingRequests();

  private final AtomicInteger size = new AtomicInteger();
  private final boolean delays;
  private final long timeoutNanos;
  private final boolean overridable;
  private final int maxSize;

  PriorityLevel(QueuePolicy policy) {
    this.delays = policy.delays();
    this.timeoutNanos = policy.timeout().isZero() ? Long.MAX_VALUE : policy.timeout().toNanos();
    this.overridable = policy.overridable();
    this.maxSize = policy.maxSize();
  }

  /** Counts a request in, unless there is no room. */
  boolean enter(PendingRequest request) {
    request.queueTimeoutNanos = queueTimeoutNanos(request.request().options().timeoutMicros());
    request.timeoutNanos = delays ? Long.MAX_VALUE : request.queueTimeoutNanos;
    if (maxSize > 0 && size.getAndIncrement() >= maxSize) {
      size.decrementAndGet();
      return false;
    }
    return true;
  }

  /**
   * Returns how long a request may wait, without end {@link Long#MAX_VALUE}.
   *
   * @param wantedMicros what it says itself, in microseconds; 0 if nothing
   */
  private long queueTimeoutNanos(long wantedMicros) {
    return overridable && wantedMicros > 0
        ? Math.min(timeoutNanos, Math.min(wantedMicros, LONGEST_MICROS) * NANOS_PER_MICRO)
        : timeoutNanos;
  }

  /** Counts a request in that needs no room. */
  void enterAnyway() {
    if (maxSize > 0) {
      size.incrementAndGet();
    }
  }

  /** Counts a request out. */
  void leave() {
    if (maxSize > 0) {
      size.decrementAndGet();
    }
  }

  /**
   * Returns when a prompt may run. None waits for another where that may be put behind all that
   * come later.
   */
  LoopStep.Turn turn(PendingRequest step) {
    return delays ? LoopStep.Turn.ANY : step.turn();
  }

  /** Returns the streams that wait for another one's prompt, and has none any more. */
  PendingRequests takeFollowing() {
    PendingRequests taken = following;
    following = new PendingRequests();
    return taken;
  }

  /** Has a stream wait for memory, in front of those that came later. */
  void hold(PendingRequest step) {
    held.addInOrder(step);
  }

  /** Puts those who have waited too long behind the others, if that is what becomes of them. */
  void delay(long nowNanos) {
    if (!delays) {
      return;
    }
    PendingRequest waiting = fresh.first();
    while (waiting != null) {
      PendingRequest after = waiting.next;
      if (waiting.hasWaitedTooLong(nowNanos)) {
        fresh.remove(waiting);
        waiting.queueTimeoutNanos = Long.MAX_VALUE;
        waiting.line++;
        late.addLast(waiting);
      }
      waiting = after;
    }
  }
}
