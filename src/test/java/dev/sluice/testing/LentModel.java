package dev.sluice.testing;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.Lookup;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.ServedModel;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.TensorSpec;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** A model that is described and never runs, and a data plane that has no other. Counts loans. */
public final class LentModel implements ServedModel, DataPlane {
  private final ModelMetadata metadata;
  private final AtomicInteger loans = new AtomicInteger();

  public LentModel(ModelMetadata metadata) {
    this.metadata = metadata;
  }

  /** A model with one signature. */
  public static LentModel of(int maxBatchSize, List<TensorSpec> inputs, TensorSpec... outputs) {
    var signature = new Signature(Signature.DEFAULT, "", inputs, List.of(outputs));
    return new LentModel(
        new ModelMetadata(
            "onnxruntime_onnx", Map.of(Signature.DEFAULT, signature), true, maxBatchSize));
  }

  /** Loans that were not given back. */
  public int loans() {
    return loans.get();
  }

  @Override
  public ModelId id() {
    return new ModelId("m", 1);
  }

  @Override
  public ModelMetadata metadata() {
    return metadata;
  }

  @Override
  public void release() {
    loans.decrementAndGet();
  }

  @Override
  public Lookup find(ModelSelector selector) {
    loans.incrementAndGet();
    return new Lookup.Found(this);
  }

  @Override
  public Future<InferenceResponse> infer(InferenceRequest request) {
    request.close();
    return Future.failedFuture(new UnsupportedOperationException("never runs"));
  }
}
