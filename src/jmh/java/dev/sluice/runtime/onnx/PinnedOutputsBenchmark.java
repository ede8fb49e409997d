package dev.sluice.runtime.onnx;

import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Memory for one output, from its allocation to its release, with the cheapest write of all of it
 * in between: without protection, with guards, and with guards and zeros.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class PinnedOutputsBenchmark {
  private static final Set<String> WHOLE = Set.of("y");

  /** Elements: 10 scores, and an image of 602 KB. */
  @Param({"10", "150528"})
  public int elements;

  private List<TensorSpec> outputs = List.of();
  private List<@Nullable Shape> shapes = List.of();
  private Shape shape = Shape.SCALAR;

  @Setup
  public void declare() {
    shape = Shape.of(elements);
    shapes = List.of(shape);
    outputs = List.of(new TensorSpec("y", DataType.FP32, shape));
  }

  @Benchmark
  public long unprotected() {
    try (Tensor tensor = Tensor.allocate(DataType.FP32, shape)) {
      return write(tensor.data());
    }
  }

  @Benchmark
  public boolean guarded() {
    return pinned(WHOLE);
  }

  @Benchmark
  public boolean guardedAndFilled() {
    return pinned(Set.of());
  }

  private boolean pinned(Set<String> whole) {
    try (PinnedOutputs pinned = PinnedOutputs.allocate(outputs, shapes, whole)) {
      write(Objects.requireNonNull(pinned.get(0)).tensor().data());
      return pinned.areWritten();
    }
  }

  private static long write(MemorySegment data) {
    data.fill((byte) 1);
    return data.address();
  }
}
