package dev.sluice.scheduling.stream;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A stream is preempted while the worker ends its step and queues the next one: it frees its caches
 * once, on whichever thread, and one step is queued in the end.
 */
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "freed once")
@State
public class StreamPreemptStress {
  private final StressedStream stressed = new StressedStream(2);

  @Actor
  public void worker() {
    stressed.run();
  }

  @Actor
  public void holderOfTheQueue() {
    stressed.preempt();
  }

  @Arbiter
  public void result(II_Result result) {
    stressed.countPreemption(result);
  }
}
