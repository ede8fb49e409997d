package dev.sluice.serving.worker;

import dev.sluice.config.model.BatchingConfig;
import dev.sluice.config.model.BreakerConfig;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.QueueConfig;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.serving.ServableModel;
import dev.sluice.serving.stream.OpenStreams;
import dev.sluice.serving.stream.ResponseStream;
import dev.sluice.serving.stream.StreamMeter;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.testing.FakeModelLease;
import dev.sluice.testing.FakeSession;
import dev.sluice.testing.StreamReader;
import dev.sluice.testing.Tensors;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Sends numbers to models over fake sessions, from an event loop of its own. */
final class FakeCaller {
  private final FakeModelLease lease;
  private final Context eventLoop;

  FakeCaller(Vertx vertx, ModelId model) {
    this.lease = new FakeModelLease(model, FakeSession.METADATA);
    this.eventLoop = vertx.getOrCreateContext();
  }

  /** Settings of a model of one session. */
  static ModelConfig config(
      int concurrency, BatchingConfig batching, QueueConfig queue, BreakerConfig breaker) {
    ModelConfig defaults = ModelConfig.DEFAULT;
    return new ModelConfig(
        defaults.versionPolicy(),
        defaults.labels(),
        batching,
        queue,
        new ModelConfig.Workers(1, concurrency),
        defaults.admission(),
        false,
        defaults.explain(),
        defaults.runtimes(),
        defaults.stream(),
        Optional.empty(),
        defaults.classLabels(),
        defaults.sequence(),
        false,
        defaults.declared(),
        1,
        breaker,
        defaults.encoder(),
        defaults.ragged());
  }

  ModelId model() {
    return lease.id();
  }

  /** How many requests have not been closed. */
  int leases() {
    return lease.leases();
  }

  void onEventLoop(Runnable action) {
    eventLoop.runOnContext(_ -> action.run());
  }

  InferenceRequest request(float... x) {
    return new InferenceRequest(
        lease.acquire(),
        FakeSession.SIGNATURE,
        List.of(new NamedTensor("x", Tensors.floats(Shape.of(x.length), x))),
        List.of("y"),
        Deadline.NONE,
        "r");
  }

  Future<InferenceResponse> submit(ServableModel model, InferenceRequest request) {
    Promise<InferenceResponse> answer = Promise.promise();
    onEventLoop(() -> model.scheduler().submit(request).onComplete(answer));
    return answer.future();
  }

  /** Asks for a stream of the request's rows. */
  StreamReader stream(ServableModel model, InferenceRequest request) {
    return StreamReader.open(
        eventLoop,
        reader ->
            model.streams().stream(
                request,
                new ResponseStream(new OpenStreams(), StreamMeter.NONE, reader, eventLoop)));
  }

  /** What becomes of a request: its number, or the code of its error. */
  CompletableFuture<String> ask(ServableModel model, InferenceRequest request) {
    return submit(model, request)
        .map(response -> {
          try (response) {
            return Float.toString(Tensors.toFloats(response.outputs().getFirst().tensor())[0]);
          }
        })
        .otherwise(e -> ((InferenceException) e).code().name())
        .toCompletionStage()
        .toCompletableFuture();
  }
}
