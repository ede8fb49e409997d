package dev.sluice.scheduling.queue;

import dev.sluice.stress.StressedRequests;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/** What the tests of the queue share. */
final class QueueStress {
  static final Context EVENT_LOOP = Vertx.vertx().getOrCreateContext();

  private QueueStress() {}

  static PendingRequest pending() {
    return new PendingRequest(StressedRequests.request(), EVENT_LOOP, 1, 0);
  }
}
