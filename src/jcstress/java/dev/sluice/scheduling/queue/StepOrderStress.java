package dev.sluice.scheduling.queue;

import dev.sluice.config.model.QueueConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.stress.StressedRequests;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/**
 * One worker runs a step of a stream, enqueues the next one and holds the answer back to the end;
 * another worker runs that one, and its answer comes to the event loop, here on the same thread,
 * first: each is delivered once, in their order.
 */
@JCStressTest
@Outcome(id = "first second", expect = Expect.ACCEPTABLE, desc = "each once, in order")
@Outcome(id = "first", expect = Expect.ACCEPTABLE, desc = "the second worker came too early")
@State
public class StepOrderStress {
  private final ModelQueue queue = new ModelQueue(new QueueConfig(4, Duration.ZERO, 1, 1));
  private final PendingRequest first = step();
  private final List<String> delivered = new ArrayList<>();

  private final class Recorded implements Recipient {
    @Override
    public void deliver(
        @Nullable InferenceResponse response, @Nullable InferenceException failure) {
      delivered.add(failure == null ? "nothing" : String.valueOf(failure.getMessage()));
    }
  }

  private PendingRequest step() {
    return PendingRequest.underWay(
        StressedRequests.request(), StressedRequests.EVENT_LOOP, 1, 0, new Recorded());
  }

  private static void answer(PendingRequest step, String text) {
    step.complete(new InferenceException(ErrorCode.INTERNAL, text));
  }

  @Actor
  public void firstWorker() {
    answer(first, "first");
    PendingRequest next = step();
    next.follows(first);
    queue.offerNext(next);
  }

  @Actor
  public void secondWorker() {
    for (PendingRequest next : queue.takeAll()) {
      answer(next, "second");
      next.deliver();
    }
  }

  @Arbiter
  public void result(L_Result result) {
    first.deliver();
    result.r1 = String.join(" ", delivered);
  }
}
