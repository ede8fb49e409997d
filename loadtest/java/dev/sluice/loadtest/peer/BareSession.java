package dev.sluice.loadtest.peer;

import dev.sluice.tensor.NamedTensor;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Runs a model again and again on one thread, and prints how long one run takes. */
public final class BareSession {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private BareSession() {}

  /**
   * Prints the mean time of a run and its processor time, in microseconds, with a space between.
   *
   * @param arguments the folder of a model's version, rows in a run, seconds to warm up, seconds to
   *     measure
   */
  public static void main(String[] arguments) {
    try (var session = new SessionRuns(Path.of(arguments[0]));
        NamedTensor input = session.input(Integer.parseInt(arguments[1]))) {
      loop(session, input, Long.parseLong(arguments[2]));
      long cpu = THREADS.getCurrentThreadCpuTime();
      long begin = System.nanoTime();
      long runs = loop(session, input, Long.parseLong(arguments[3]));
      double wall = (System.nanoTime() - begin) / 1e3;
      double busy = (THREADS.getCurrentThreadCpuTime() - cpu) / 1e3;
      System.out.println(wall / runs + " " + busy / runs);
    }
  }

  private static long loop(SessionRuns session, NamedTensor input, long seconds) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    long runs = 0;
    while (System.nanoTime() < end) {
      NamedTensor.closeAll(session.run(input));
      runs++;
    }
    return runs;
  }
}
