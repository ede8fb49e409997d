package dev.sluice.serving.worker;

import dev.sluice.config.model.QueueConfig;
import dev.sluice.scheduling.queue.ModelQueue;
import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.stress.StressedRequests;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/**
 * A worker goes to rest while an event loop puts a request into the queue: the worker took it, or
 * one of the two holds the session, and not both.
 */
@JCStressTest
@Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "one holder looks after the request")
@State
public class HandOverStress {
  private final ModelQueue queue = new ModelQueue(new QueueConfig(4, Duration.ZERO, 1, 1));
  private final SessionHolder holder = new SessionHolder(() -> queue.size() > 0);
  private volatile boolean taken;
  private volatile boolean keptByWorker;
  private volatile boolean heldByEventLoop;

  @Actor
  public void worker() {
    taken = !queue.takeAll().isEmpty();
    keptByWorker = holder.release();
  }

  @Actor
  public void eventLoop() {
    queue.offer(new PendingRequest(StressedRequests.request(), StressedRequests.EVENT_LOOP, 1, 0));
    heldByEventLoop = holder.tryAcquireForEventLoop();
  }

  @Arbiter
  public void result(Z_Result result) {
    result.r1 = taken ? !keptByWorker : keptByWorker != heldByEventLoop;
  }
}
