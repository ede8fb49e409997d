package dev.sluice.inference;

import dev.sluice.stress.StressedRequests;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/**
 * A caller cancels while the request is put into a queue: the queue's action is run, or the thread
 * that set it sees that the request is cancelled. Otherwise an abandoned request would keep its
 * place.
 */
@JCStressTest
@Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "somebody takes it out")
@State
public class CancellationStress {
  private final InferenceRequest request = StressedRequests.request();
  private volatile boolean run;
  private volatile boolean seen;

  @Actor
  public void caller() {
    request.cancel();
  }

  @Actor
  public void queue() {
    request.onAbandoned(() -> run = true);
    seen = request.isCancelled();
  }

  @Arbiter
  public void result(Z_Result result) {
    result.r1 = run || seen;
  }
}
