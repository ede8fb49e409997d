package dev.sluice.scheduling.batching;

import dev.sluice.config.model.BatchingConfig;
import dev.sluice.config.model.QueueConfig;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.scheduling.queue.ModelQueue;
import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.stress.StressedRequests;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * A worker begins to wait for the second request of a batch while it arrives: it is seen, or the
 * worker is woken. The batch is never due, so a wake-up that is lost leaves the first alone.
 */
@JCStressTest
@Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "both are in the batch")
@State
public class BatchDelayStress {
  private static final BatchingConfig BATCHING =
      new BatchingConfig(2, true, Duration.ofHours(1), List.of(), List.of());
  private static final ModelMetadata MODEL = StressedRequests.request().model().metadata();
  private static final BatchRules RULES = new BatchRules(BATCHING, MODEL);

  /** After which a wake-up counts as lost. */
  private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final ModelQueue queue = new ModelQueue(new QueueConfig(4, Duration.ZERO, 1, 1));
  private final DynamicBatcher batcher = new DynamicBatcher(queue, RULES, BATCHING, () -> 0);
  private final Batch batch = new Batch();

  public BatchDelayStress() {
    queue.offer(pending());
  }

  private static PendingRequest pending() {
    return new PendingRequest(StressedRequests.request(), StressedRequests.EVENT_LOOP, 1, 0);
  }

  @Actor
  public void worker(I_Result result) {
    long lost = System.nanoTime() + LOST_NANOS;
    BatchDecision decision = batcher.take(batch);
    while (decision == BatchDecision.WAIT && System.nanoTime() < lost) {
      if (batch.waitNanos > 0) {
        LockSupport.parkNanos(this, LOST_NANOS);
      }
      decision = batcher.take(batch);
    }
    result.r1 = batch.members.size();
  }

  @Actor
  public void eventLoop() {
    PendingRequest second = pending();
    queue.offer(second);
    batcher.arrived(second);
  }
}
