package dev.sluice.inference.explain;

import dev.sluice.inference.InferenceResponse;
import dev.sluice.tensor.Shape;
import java.util.List;

/**
 * The model's answer, and its explanation. Owns the predictions: the protocol handler that encodes
 * it closes it.
 *
 * @param predictions the model's answer to the instances as they are
 * @param instance the shape of one instance
 * @param samples pairs of permutations that went into each attribution
 * @param attributions one for each instance
 */
public record Explanation(
    InferenceResponse predictions, Shape instance, int samples, List<Attribution> attributions)
    implements AutoCloseable {
  @Override
  public void close() {
    predictions.close();
  }
}
