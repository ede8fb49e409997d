package dev.sluice.testing;

import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.TensorSpec;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** A model that only has metadata, and counts how often it was given back. */
public final class DeclaredModel implements ModelLease {
  private final ModelId id;
  private final ModelMetadata metadata;
  private final AtomicInteger releases = new AtomicInteger();

  public DeclaredModel(ModelId id, ModelMetadata metadata) {
    this.id = id;
    this.metadata = metadata;
  }

  /** A model of one signature without outputs. */
  public static DeclaredModel of(TensorSpec... inputs) {
    var signature = new Signature(Signature.DEFAULT, "", List.of(inputs), List.of());
    return new DeclaredModel(
        new ModelId("declared", 1),
        new ModelMetadata("onnxruntime_onnx", Map.of(signature.name(), signature), true, 0));
  }

  /** How often it was given back. */
  public int releases() {
    return releases.get();
  }

  @Override
  public ModelId id() {
    return id;
  }

  @Override
  public ModelMetadata metadata() {
    return metadata;
  }

  @Override
  public void release() {
    releases.incrementAndGet();
  }
}
