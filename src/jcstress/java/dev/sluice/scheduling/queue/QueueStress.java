package dev.sluice.scheduling.queue;

import dev.sluice.stress.StressedRequests;

/** What the tests of the queue share. */
final class QueueStress {
  private QueueStress() {}

  static PendingRequest pending() {
    return new PendingRequest(StressedRequests.request(), StressedRequests.EVENT_LOOP, 1, 0);
  }
}
