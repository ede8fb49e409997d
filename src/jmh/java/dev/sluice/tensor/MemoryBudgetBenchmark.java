package dev.sluice.tensor;

import dev.sluice.tensor.MemoryBudget.Kind;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/** What the memory budget costs a request: a body and an answer, charged and given back. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class MemoryBudgetBenchmark {
  private static final long LIMIT = 256L << 20;
  private static final int SMALL = 500;
  private static final int LARGE = 600_000;

  private final MemoryBudget budget = new MemoryBudget(LIMIT);

  /** A request of which body and answer are small. */
  @Benchmark
  public long smallRequest() {
    return request(SMALL);
  }

  /** The same on two threads. */
  @Benchmark
  @Threads(2)
  public long smallRequestOnTwoThreads() {
    return request(SMALL);
  }

  /** A request with a body that is taken from the common counter. */
  @Benchmark
  @Threads(2)
  public long largeRequestOnTwoThreads() {
    return request(LARGE);
  }

  private long request(int body) {
    try (MemoryAccount account = budget.account()) {
      account.charge(Kind.BODY, body);
      account.charge(Kind.ANSWER, SMALL);
      return account.held(Kind.ANSWER);
    }
  }
}
