package dev.sluice.scheduling.queue;

import dev.sluice.benchmark.ServedForBenchmark;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.Lookup;
import dev.sluice.inference.ModelSelector;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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

/** The way of one request through an otherwise empty queue, and of sixteen together. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class ModelQueueBenchmark {
  private static final int COMPANY = 16;

  private final Vertx vertx = Vertx.vertx();
  private final ModelQueue queue = new ModelQueue(1_024);
  private final Pending pending = new Pending(request(), vertx.getOrCreateContext(), 0);

  private static InferenceRequest request() {
    var served = new ServedForBenchmark(128);
    var found =
        (Lookup.Found) served.planes().find(new ModelSelector.Latest(ServedForBenchmark.MODEL));
    var signature = found.model().metadata().signature("").orElseThrow();
    return new InferenceRequest(
        found.model(), signature, List.of(), List.of(), Deadline.NONE, "benchmark");
  }

  @TearDown
  public void close() {
    pending.request().close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  @Benchmark
  public @Nullable Pending offerAndTake() {
    queue.offer(pending);
    return queue.poll();
  }

  @Benchmark
  public int offerAndTakeSixteen() {
    for (int i = 0; i < COMPANY; i++) {
      queue.offer(pending);
    }
    int taken = 0;
    while (queue.poll() != null) {
      taken++;
    }
    return taken;
  }
}
