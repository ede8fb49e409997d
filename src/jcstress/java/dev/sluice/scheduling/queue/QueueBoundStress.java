package dev.sluice.scheduling.queue;

import dev.sluice.config.model.QueueConfig;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** Two event loops offer to a queue with one free place: exactly one is admitted. */
@JCStressTest
@Outcome(id = "TAKEN, FULL", expect = Expect.ACCEPTABLE, desc = "the first was faster")
@Outcome(id = "FULL, TAKEN", expect = Expect.ACCEPTABLE, desc = "the second was faster")
@State
public class QueueBoundStress {
  private final ModelQueue queue = new ModelQueue(new QueueConfig(1, Duration.ZERO, 1, 1));
  private final PendingRequest one = QueueStress.pending();
  private final PendingRequest other = QueueStress.pending();

  @Actor
  public void first(LL_Result result) {
    result.r1 = queue.offer(one);
  }

  @Actor
  public void second(LL_Result result) {
    result.r2 = queue.offer(other);
  }
}
