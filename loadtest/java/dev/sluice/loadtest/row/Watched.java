package dev.sluice.loadtest.row;

import dev.sluice.loadtest.generator.Measurement;
import dev.sluice.loadtest.process.ProcessFigures;
import dev.sluice.loadtest.process.ServerProcess;
import java.util.Map;

/**
 * A round with the processor time that it cost the server, taken from {@code /proc} before and
 * after.
 *
 * @param server the process that is watched
 * @param round what is done meanwhile
 */
record Watched(ServerProcess server, Round<Measurement> round) implements Round<Measurement> {
  @Override
  public Measurement run() {
    ProcessFigures figures = server.figures();
    Map<String, Double> compilers = figures.compilerMicros();
    double before = figures.cpuMicros();
    long begun = System.nanoTime();
    Measurement measured = round.run();
    double spent = figures.cpuMicros() - before;
    double micros = (System.nanoTime() - begun) / 1e3;
    return measured.withCost(spent, added(compilers, figures.compilerMicros()) / micros);
  }

  /** Adds up what threads took that live now; one that ended meanwhile had been idle. */
  static double added(Map<String, Double> before, Map<String, Double> after) {
    return after.entrySet().stream()
        .mapToDouble(thread -> thread.getValue() - before.getOrDefault(thread.getKey(), 0.0))
        .sum();
  }
}
