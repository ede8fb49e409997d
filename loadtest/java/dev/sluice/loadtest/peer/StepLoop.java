package dev.sluice.loadtest.peer;

import dev.sluice.tensor.NamedTensor;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs a model's step in a loop by hand, as its stream does: the first output is the next input.
 */
public final class StepLoop {
  private StepLoop() {}

  /**
   * Prints the mean time of a step in microseconds.
   *
   * @param arguments the folder of a model's version, rows that advance together, seconds to warm
   *     up, seconds to measure
   */
  public static void main(String[] arguments) {
    try (var session = new SessionRuns(Path.of(arguments[0]))) {
      int rows = Integer.parseInt(arguments[1]);
      loop(session, rows, Long.parseLong(arguments[2]));
      System.out.println(loop(session, rows, Long.parseLong(arguments[3])));
    }
  }

  private static double loop(SessionRuns session, int rows, long seconds) {
    NamedTensor state = session.input(rows);
    long begin = System.nanoTime();
    long end = begin + TimeUnit.SECONDS.toNanos(seconds);
    long steps = 0;
    while (System.nanoTime() < end) {
      NamedTensor next = step(session, state);
      state.close();
      state = next;
      steps++;
    }
    double micros = (System.nanoTime() - begin) / 1e3;
    state.close();
    return micros / steps;
  }

  private static NamedTensor step(SessionRuns session, NamedTensor state) {
    List<NamedTensor> outputs = session.run(state);
    NamedTensor.closeAll(outputs.subList(1, outputs.size()));
    return new NamedTensor(state.name(), outputs.getFirst().tensor());
  }
}
