package dev.sluice.loadtest.row;

import java.util.Collection;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Figures from the project's micro-benchmarks, taken anew. */
final class MicroBenchmarks {
  private MicroBenchmarks() {}

  /** The mean times of all benchmarks that a pattern finds, added up, in microseconds. */
  static double sumMicros(String pattern) {
    var options =
        new OptionsBuilder()
            .include(pattern)
            .mode(Mode.AverageTime)
            .timeUnit(TimeUnit.MICROSECONDS)
            .verbosity(VerboseMode.SILENT)
            .build();
    try {
      Collection<RunResult> results = new Runner(options).run();
      if (results.isEmpty()) {
        throw new IllegalStateException("no micro-benchmark is called " + pattern);
      }
      return results.stream().mapToDouble(result -> result.getPrimaryResult().getScore()).sum();
    } catch (RunnerException e) {
      throw new IllegalStateException("the micro-benchmarks could not run", e);
    }
  }
}
