package dev.sluice.scheduling.batching;

import dev.sluice.benchmark.ServedForBenchmark;
import dev.sluice.config.model.BatchingConfig;
import dev.sluice.config.model.QueueConfig;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.access.Caller;
import dev.sluice.scheduling.queue.ModelQueue;
import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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

/** Sixteen requests of one row each: through the queue as one batch, joined, and split again. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class BatchingBenchmark {
  private static final int REQUESTS = 16;
  private static final int INPUTS = 128;
  private static final int OUTPUTS = 10;

  private final Vertx vertx = Vertx.vertx();
  private final ServedForBenchmark served = new ServedForBenchmark(INPUTS);
  private final ModelQueue queue = new ModelQueue(QueueConfig.DEFAULT);
  private final DynamicBatcher batcher = batcher();
  private final List<PendingRequest> requests = new ArrayList<>();
  private final Batch batch = new Batch();

  public BatchingBenchmark() {
    for (int i = 0; i < REQUESTS; i++) {
      requests.add(new PendingRequest(request(), vertx.getOrCreateContext(), 1, 0));
    }
  }

  private DynamicBatcher batcher() {
    var config = new BatchingConfig(REQUESTS, true, Duration.ZERO, List.of(), List.of());
    ModelLookup.Found found = found();
    var rules = new BatchRules(config, found.model().metadata());
    found.model().release();
    return new DynamicBatcher(queue, rules, config, () -> 0);
  }

  private ModelLookup.Found found() {
    return (ModelLookup.Found)
        served.planes().admit(new ModelSelector.Latest(ServedForBenchmark.MODEL), Caller.SERVER);
  }

  private InferenceRequest request() {
    ModelLookup.Found found = found();
    var signature = found.model().metadata().signature("").orElseThrow();
    var row = Tensor.allocate(DataType.FP32, Shape.of(1, INPUTS));
    var input = new NamedTensor(signature.inputs().getFirst().name(), row);
    return new InferenceRequest(
        found.model(), signature, List.of(input), List.of(), Deadline.NONE, "benchmark");
  }

  @TearDown
  public void close() {
    requests.forEach(pending -> pending.request().close());
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  @Benchmark
  public int offerAndTake() {
    for (int i = 0; i < REQUESTS; i++) {
      queue.offer(requests.get(i));
    }
    batcher.take(batch);
    return batch.members().size();
  }

  @Benchmark
  public void assemble() {
    NamedTensor.closeAll(BatchAssembler.assemble(requests, null, REQUESTS));
  }

  @Benchmark
  public void split() {
    var output = Tensor.allocate(DataType.FP32, Shape.of(REQUESTS, OUTPUTS));
    BatchSplitter.split(List.of(new NamedTensor("y", output)), requests, null, null)
        .forEach(NamedTensor::closeAll);
  }
}
