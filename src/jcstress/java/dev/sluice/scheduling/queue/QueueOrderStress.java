package dev.sluice.scheduling.queue;

import dev.sluice.config.model.QueueConfig;
import java.time.Duration;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

/** A worker looks into the queue while an event loop offers: order is kept, and none is lost. */
@JCStressTest
@Outcome(id = "true, true, true", expect = Expect.ACCEPTABLE, desc = "all there, in order")
@State
public class QueueOrderStress {
  private final ModelQueue queue = new ModelQueue(new QueueConfig(4, Duration.ZERO, 1, 1));
  private final PendingRequest earlier = QueueStress.pending();
  private final PendingRequest later = QueueStress.pending();

  @Actor
  public void eventLoop() {
    queue.offer(earlier);
    queue.offer(later);
  }

  @Actor
  public void worker() {
    synchronized (queue) {
      queue.drainArrivals();
    }
  }

  @Arbiter
  public void result(ZZZ_Result result) {
    List<PendingRequest> line = queue.takeAll();
    result.r1 = line.size() == 2;
    result.r2 = line.indexOf(earlier) < line.indexOf(later);
    result.r3 = queue.size() == 0;
  }
}
