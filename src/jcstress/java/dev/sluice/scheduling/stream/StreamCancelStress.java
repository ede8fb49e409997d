package dev.sluice.scheduling.stream;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * A reader asks for another step and leaves while the worker ends the one before: the owner of the
 * stream then closes it, once.
 */
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "closed once")
@State
public class StreamCancelStress {
  private final StressedStream stressed = new StressedStream();

  @Actor
  public void worker() {
    stressed.run();
  }

  @Actor
  public void eventLoop() {
    stressed.stream.request(1);
    stressed.stream.cancel();
  }

  @Arbiter
  public void result(I_Result result) {
    stressed.deliver();
    result.r1 = stressed.steps.closed();
  }
}
