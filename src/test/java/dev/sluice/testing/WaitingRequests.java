package dev.sluice.testing;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.RequestOptions;
import dev.sluice.inference.Signature;
import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.List;

/** Requests for {@link FakeSession}'s model that wait in a queue, as if they had come by a face. */
public final class WaitingRequests implements AutoCloseable {
  private final Vertx vertx = Vertx.vertx();
  private final Context callerContext = vertx.getOrCreateContext();
  private final FakeModelLease model =
      new FakeModelLease(new ModelId("fake", 1), FakeSession.METADATA);

  /** Loans that were not given back. */
  public int leases() {
    return model.leases();
  }

  public Context callerContext() {
    return callerContext;
  }

  /** A request of some rows, each of one number. */
  public InferenceRequest request(Deadline deadline, long priority, float... x) {
    return request(deadline, priority, List.of(), Tensors.floats(Shape.of(x.length), x));
  }

  public InferenceRequest request(
      Deadline deadline, long priority, List<String> outputs, Tensor x) {
    Signature signature = FakeSession.SIGNATURE;
    return new InferenceRequest(
        model.acquire(),
        signature,
        List.of(new NamedTensor("x", x)),
        outputs,
        deadline,
        "r",
        RequestOptions.ofPriority(priority));
  }

  /** A waiting request with these inputs, which it owns. */
  public PendingRequest inputs(NamedTensor... inputs) {
    var request =
        new InferenceRequest(
            model.acquire(),
            FakeSession.SIGNATURE,
            List.of(inputs),
            List.of(),
            Deadline.NONE,
            "r",
            RequestOptions.ofPriority(0));
    return waiting(request, 1, 0);
  }

  /** A waiting request of some rows. */
  public PendingRequest rows(int rows, long sinceNanos) {
    return waiting(request(Deadline.NONE, 0, new float[rows]), rows, sinceNanos);
  }

  public PendingRequest waiting(InferenceRequest request, int rows, long sinceNanos) {
    return new PendingRequest(request, callerContext, rows, sinceNanos);
  }

  @Override
  public void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }
}
