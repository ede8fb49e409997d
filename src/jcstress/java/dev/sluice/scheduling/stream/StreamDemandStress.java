package dev.sluice.scheduling.stream;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * The step that was asked for ends while another one is asked for: the worker or the event loop
 * puts the next step into the queue, and not both.
 */
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "the next step is queued once")
@State
public class StreamDemandStress {
  private final StressedStream stressed = new StressedStream();

  @Actor
  public void worker() {
    stressed.run();
  }

  @Actor
  public void eventLoop() {
    stressed.stream.request(1);
  }

  @Arbiter
  public void result(I_Result result) {
    result.r1 = stressed.deliver();
  }
}
