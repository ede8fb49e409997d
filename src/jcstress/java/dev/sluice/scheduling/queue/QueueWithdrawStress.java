package dev.sluice.scheduling.queue;

import dev.sluice.config.model.QueueConfig;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A worker takes a request that is being cancelled: exactly one of the two gets it. */
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "the worker runs it")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "it is withdrawn")
@State
public class QueueWithdrawStress {
  private final ModelQueue queue = new ModelQueue(new QueueConfig(4, Duration.ZERO, 1, 1));
  private final PendingRequest pending = QueueStress.pending();

  public QueueWithdrawStress() {
    queue.offer(pending);
  }

  @Actor
  public void worker(ZZ_Result result) {
    synchronized (queue) {
      queue.drainArrivals();
      PendingRequest first = queue.first();
      if (first != null) {
        queue.remove(first);
        result.r1 = true;
      }
    }
  }

  @Actor
  public void eventLoop(ZZ_Result result) {
    result.r2 = queue.withdraw(pending);
  }
}
