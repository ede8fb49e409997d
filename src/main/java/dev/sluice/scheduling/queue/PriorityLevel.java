package dev.sluice.scheduling.queue;

import dev.sluice.config.model.QueuePolicy;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The requests of one level of priority: those in line, and behind them those who have waited too
 * long but stay. The lines are for the holder of the queue, the counter for any thread.
 */
final class PriorityLevel {
  final PendingRequests fresh = new PendingRequests();
  final PendingRequests late = new PendingRequests();
  private final QueuePolicy policy;
  private final AtomicInteger size = new AtomicInteger();

  PriorityLevel(QueuePolicy policy) {
    this.policy = policy;
  }

  /** Counts a request in, unless there is no room. */
  boolean enter(PendingRequest request) {
    request.queueTimeoutNanos =
        policy.queueTimeoutNanos(request.request().options().timeoutMicros());
    request.timeoutNanos = policy.delays() ? Long.MAX_VALUE : request.queueTimeoutNanos;
    if (policy.maxSize() > 0 && size.getAndIncrement() >= policy.maxSize()) {
      size.decrementAndGet();
      return false;
    }
    return true;
  }

  /** Counts a request in that needs no room. */
  void enterAnyway() {
    if (policy.maxSize() > 0) {
      size.incrementAndGet();
    }
  }

  /** Counts a request out. */
  void leave() {
    if (policy.maxSize() > 0) {
      size.decrementAndGet();
    }
  }

  /** Puts those who have waited too long behind the others, if that is what becomes of them. */
  void delay(long nowNanos) {
    if (!policy.delays()) {
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
