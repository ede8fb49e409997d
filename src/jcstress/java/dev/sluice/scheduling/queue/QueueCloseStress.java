package dev.sluice.scheduling.queue;

import dev.sluice.config.model.QueueConfig;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LI_Result;

/** A request is offered while the queue closes: it is refused, or close() hands it out. */
@JCStressTest
@Outcome(id = "TAKEN, 1", expect = Expect.ACCEPTABLE, desc = "offered before the close")
@Outcome(id = "CLOSED, 0", expect = Expect.ACCEPTABLE, desc = "offered after the close")
@State
public class QueueCloseStress {
  private final ModelQueue queue = new ModelQueue(new QueueConfig(4, Duration.ZERO, 1, 1));
  private final PendingRequest pending = QueueStress.pending();

  @Actor
  public void eventLoop(LI_Result result) {
    result.r1 = queue.offer(pending);
  }

  @Actor
  public void closing(LI_Result result) {
    result.r2 = queue.close().size();
  }
}
