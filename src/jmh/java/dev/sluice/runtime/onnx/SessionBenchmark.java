package dev.sluice.runtime.onnx;

import dev.sluice.loadtest.peer.SessionRuns;
import dev.sluice.loadtest.row.Models;
import dev.sluice.tensor.NamedTensor;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Small networks, run alone: one row of 128 numbers, and 64 rows of 32. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class SessionBenchmark {
  private final Path models = Models.writeTo(Path.of("target/loadtest/models")).small();
  private final SessionRuns one = new SessionRuns(Models.version(models, Models.MLP));
  private final SessionRuns many = new SessionRuns(Models.version(models, Models.MLP_OF_32));
  private final NamedTensor row = one.input(1);
  private final NamedTensor rows = many.input(64);

  @TearDown
  public void close() {
    row.close();
    rows.close();
    one.close();
    many.close();
  }

  @Benchmark
  public void runOneRow() {
    NamedTensor.closeAll(one.run(row));
  }

  @Benchmark
  public void runRows() {
    NamedTensor.closeAll(many.run(rows));
  }
}
