package dev.sluice.testing;

import dev.sluice.testing.StepsCaller.Outcome;
import dev.sluice.testing.StepsCaller.Protocol;
import dev.sluice.testing.StepsCaller.Request;
import java.io.IOException;
import java.time.Duration;

/**
 * How many turns of a {@link LoopModel} take a time on this machine: a number that is written down
 * makes a run that is shorter than its deadline on a machine that is fast enough.
 */
public final class LoopTurns {
  private static final long SAMPLE = 50_000;
  private static final int SAMPLES = 3;

  private LoopTurns() {}

  /**
   * Returns the turns of runs that take at least about this long: as many as the fastest of some
   * short runs makes in that time, so that work beside them makes runs longer, not shorter.
   *
   * @param model a model of one row that no test counts runs of
   */
  public static long lasting(Duration least, StepsCaller caller, String model) throws IOException {
    long fastest = Long.MAX_VALUE;
    for (int i = 0; i < SAMPLES; i++) {
      long start = System.nanoTime();
      Outcome ended = caller.ask(Protocol.V2_GRPC, new Request(model, SAMPLE, 0));
      fastest = Math.min(fastest, System.nanoTime() - start);
      if (!ended.code().equals("OK")) {
        throw new AssertionError("the sample run ended by " + ended);
      }
    }
    return SAMPLE * least.toNanos() / fastest;
  }
}
