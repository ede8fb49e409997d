package dev.sluice.scheduling.caching;

import static java.util.Objects.requireNonNull;

import dev.sluice.benchmark.ServedForBenchmark;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.access.Caller;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** The key of a request with one input, beside a copy of its bytes and a hash without a key. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class RequestKeyBenchmark {
  private final ServedForBenchmark served = new ServedForBenchmark(1);

  /** Numbers of four bytes in the input. */
  @Param({"128", "4096", "262144"})
  public int numbers;

  @SuppressWarnings("NullAway.Init") // JMH opens it before anything is measured.
  private InferenceRequest request;

  @Setup
  public void open() {
    var found =
        (ModelLookup.Found)
            served
                .planes()
                .admit(new ModelSelector.Latest(ServedForBenchmark.MODEL), Caller.SERVER);
    var signature = found.model().metadata().signature("").orElseThrow();
    var row = Tensor.allocate(DataType.FP32, Shape.of(1, numbers));
    var input = new NamedTensor(signature.inputs().getFirst().name(), row);
    request =
        new InferenceRequest(
            found.model(), signature, List.of(input), List.of(), Deadline.NONE, "benchmark");
  }

  @TearDown
  public void close() {
    request.close();
  }

  @Benchmark
  public int keyed() {
    return requireNonNull(RequestKey.of(1, List.of(), true, request)).hashCode();
  }

  @Benchmark
  public int unkeyed() {
    return Arrays.hashCode(
        request.inputs().getFirst().tensor().data().toArray(ValueLayout.JAVA_BYTE));
  }
}
