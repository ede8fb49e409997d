package dev.sluice.serving.loading;

import dev.sluice.config.model.BatchingConfig;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.util.List;

/**
 * Completes the settings of a model that do not mention batches, as Triton's backends do: if the
 * first dimension of all its inputs and outputs is open, it is one of a batch.
 */
final class DefaultBatchSize {
  private DefaultBatchSize() {}

  /** Returns the settings with the default largest batch if the model's tensors allow it. */
  static ModelConfig complete(ModelConfig config, ModelMetadata metadata) {
    BatchingConfig batching = config.batching();
    boolean wanted =
        batching.defaultMaxBatchSize() > 0
            && batching.maxBatchSize() == 0
            && config.sequence().isEmpty()
            && config.stream().generator().isEmpty();
    return wanted && hasBatches(metadata)
        ? config.withBatching(batching.withDefaultSize())
        : config;
  }

  private static boolean hasBatches(ModelMetadata metadata) {
    Signature signature = metadata.signatures().get(Signature.DEFAULT);
    return signature != null
        && !signature.inputs().isEmpty()
        && areOpen(signature.inputs())
        && areOpen(signature.outputs());
  }

  private static boolean areOpen(List<TensorSpec> tensors) {
    return tensors.stream()
        .map(TensorSpec::shape)
        .allMatch(shape -> shape.rank() > 0 && shape.dim(0) == Shape.ANY);
  }
}
