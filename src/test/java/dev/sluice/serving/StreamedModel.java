package dev.sluice.serving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.model.BatchingConfig;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.QueueConfig;
import dev.sluice.config.model.StreamConfig;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.scheduling.deadline.TestContexts;
import dev.sluice.scheduling.ratelimit.InstancePermit;
import dev.sluice.serving.stream.OpenStreams;
import dev.sluice.serving.stream.ResponseStream;
import dev.sluice.serving.stream.StreamMeter;
import dev.sluice.serving.worker.ConcurrencyMonitor;
import dev.sluice.serving.worker.ModelInstances;
import dev.sluice.serving.worker.WorkerPool;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.FakeModelLease;
import dev.sluice.testing.FakeSession;
import dev.sluice.testing.StreamReader;
import dev.sluice.testing.Tensors;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Flow;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A fake session's model whose streams are read, with all that it needs around it. */
final class StreamedModel implements AutoCloseable {
  private final long blocksBefore = TensorMemory.openBlocks();
  private final Vertx vertx = Vertx.vertx();
  private final Context callerContext = vertx.getOrCreateContext();
  private final FakeSession session = new FakeSession();
  private final FakeModelLease lease =
      new FakeModelLease(new ModelId("fake", 1), FakeSession.METADATA);
  private final Telemetry telemetry = Telemetry.unseen();
  private final List<String> outputs;
  private final LongSupplier nanoTime;
  private @Nullable ServableModel model;

  /**
   * @param outputs what requests ask for; empty: what there is
   */
  StreamedModel(List<String> outputs, LongSupplier nanoTime) {
    this.outputs = outputs;
    this.nanoTime = nanoTime;
  }

  /** Starts the model with these settings, in place of the one that was there. */
  void start(StreamConfig stream, BatchingConfig batching, QueueConfig queue) {
    closeModel();
    ModelConfig defaults = ModelConfig.DEFAULT;
    var config =
        new ModelConfig(
            defaults.versionPolicy(),
            defaults.labels(),
            batching,
            queue,
            new ModelConfig.Workers(1, 1),
            defaults.admission(),
            false,
            defaults.explain(),
            defaults.runtimes(),
            stream,
            Optional.empty(),
            defaults.classLabels(),
            defaults.sequence(),
            false,
            ModelConfig.DEFAULT.declared(),
            1,
            defaults.breaker(),
            defaults.encoder(),
            defaults.ragged());
    model =
        ServableModel.start(
            session.metadata(),
            new ModelInstances(
                List.of(session), List.of(InstancePermit.UNLIMITED), FakeSession::new),
            config,
            telemetry.version(lease.id()),
            new WorkerPool(
                TestContexts.of(vertx), "test-model", new ConcurrencyMonitor(vertx, 1), nanoTime));
  }

  ServableModel model() {
    return Objects.requireNonNull(model);
  }

  FakeSession session() {
    return session;
  }

  /** Versions that requests have borrowed and not given back. */
  int leases() {
    return lease.leases();
  }

  InferenceRequest request(Deadline deadline, float... x) {
    return new InferenceRequest(
        lease.acquire(),
        model().metadata().signature("").orElseThrow(),
        List.of(new NamedTensor("x", Tensors.floats(Shape.of(x.length), x))),
        outputs,
        deadline,
        "r");
  }

  StreamReader stream(float... x) {
    return stream(request(Deadline.NONE, x));
  }

  StreamReader stream(InferenceRequest request) {
    return StreamReader.open(callerContext, reader -> stream(request, reader));
  }

  /** Asks for a stream, on the event loop that this is called on. */
  void stream(InferenceRequest request, Flow.Subscriber<InferenceResponse> reader) {
    var stream = new ResponseStream(new OpenStreams(), StreamMeter.NONE, reader, callerContext);
    model().streams().stream(request, stream);
  }

  /** Asks for one answer. */
  Future<InferenceResponse> submit(InferenceRequest request) {
    Promise<InferenceResponse> answer = Promise.promise();
    onLoop(() -> model().scheduler().submit(request).onComplete(answer));
    return answer.future();
  }

  /** Runs an action on the readers' event loop, after what they have asked for so far. */
  void onLoop(Runnable action) {
    callerContext.runOnContext(_ -> action.run());
  }

  private void closeModel() {
    if (model != null) {
      model.close();
      model = null;
    }
  }

  /** Ends all of it, and holds that nothing is left open. */
  @Override
  public void close() {
    closeModel();
    vertx.close().toCompletionStage().toCompletableFuture().join();
    assertThat(lease.leases()).isZero();
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore);
  }
}
