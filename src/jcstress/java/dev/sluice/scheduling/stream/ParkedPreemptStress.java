package dev.sluice.scheduling.stream;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A stream is preempted while the worker ends its step, behind which it is parked: it frees its
 * caches once, on whichever thread, and no step is queued.
 */
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "freed once")
@State
public class ParkedPreemptStress {
  private final StressedStream stressed = new StressedStream(1);

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
