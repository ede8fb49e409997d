package dev.sluice.scheduling.generator.input;

import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.util.List;

/**
 * Size in bytes of what a loop feeds back, such as a KV cache.
 *
 * @param ofToken what each token of a row adds
 * @param ofRow what a row has without any token
 * @param unknown what has several open dimensions besides that of the rows, and is not counted
 */
public record CacheSize(long ofToken, long ofRow, List<TensorSpec> unknown) {
  public CacheSize {
    unknown = List.copyOf(unknown);
  }

  /** Returns the size of inputs that are fed back. */
  public static CacheSize of(List<TensorSpec> fedBack) {
    long ofToken = 0;
    long ofRow = 0;
    for (TensorSpec spec : fedBack) {
      if (openDimensions(spec) == 1) {
        ofToken += bytes(spec);
      } else if (openDimensions(spec) == 0) {
        ofRow += bytes(spec);
      }
    }
    return new CacheSize(
        ofToken, ofRow, fedBack.stream().filter(spec -> openDimensions(spec) > 1).toList());
  }

  /** Returns how many dimensions behind the first are open; two if nothing is known of them. */
  private static int openDimensions(TensorSpec spec) {
    if (!spec.shape().isRankKnown() || !spec.type().isFixedSize()) {
      return 2;
    }
    int open = 0;
    for (int i = 1; i < spec.shape().rank(); i++) {
      open += spec.shape().dim(i) == Shape.ANY ? 1 : 0;
    }
    return open;
  }

  private static long bytes(TensorSpec spec) {
    long elements = 1;
    for (int i = 0; i < spec.shape().rank(); i++) {
      long dim = spec.shape().dim(i);
      elements *= dim == Shape.ANY || i == 0 ? 1 : dim;
    }
    return elements * spec.type().byteSize();
  }

  /** Returns the size for rows of so many tokens each. */
  public long bytes(int rows, long tokens) {
    return rows * (ofRow + ofToken * tokens);
  }

  /**
   * Checks that the size is known.
   *
   * @throws InferenceException with INVALID_ARGUMENT, naming an input whose size is not
   */
  public void requireKnown() {
    if (!unknown.isEmpty()) {
      TensorSpec first = unknown.getFirst();
      throw InferenceException.invalid(
          ("stream.cache_memory: input %s is %s with shape %s; memory can be reserved for numbers"
                  + " with one open dimension behind the first")
              .formatted(first.name(), first.type(), first.shape()));
    }
  }
}
