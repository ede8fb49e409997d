package dev.sluice.loadtest.row;

import dev.sluice.loadtest.generator.Measurement;
import dev.sluice.loadtest.process.ServerProcess;
import java.util.List;

/**
 * A round, and what it cost the server.
 *
 * @param figures what the generator saw
 * @param cpuMicros the server's processor time per request, in microseconds
 */
record CpuRound(Measurement figures, double cpuMicros) {
  /** Looks at the server's processor time before and after a round. */
  static Round<CpuRound> of(ServerProcess server, Round<Measurement> round) {
    return () -> {
      double before = server.figures().cpuMicros();
      Measurement figures = round.run();
      double spent = server.figures().cpuMicros() - before;
      return new CpuRound(figures, spent / figures.answers());
    };
  }

  static Measurement medianFigures(List<CpuRound> rounds) {
    return Measurement.median(rounds.stream().map(CpuRound::figures).toList());
  }

  static double medianCpu(List<CpuRound> rounds) {
    return Measurement.median(rounds, CpuRound::cpuMicros);
  }
}
