package dev.sluice.runtime.onnx;

import dev.sluice.runtime.RunTimeBasis;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.util.List;

/**
 * Rows of inputs: whether their bytes say what their shapes are. They do where each dimension but
 * the first is fixed, and where inputs of any number of rows have as many as each other.
 */
final class InputRows {
  private InputRows() {}

  /** Returns what says how long a run takes, of a model for which that follows from shapes. */
  static RunTimeBasis runTimeBasis(List<TensorSpec> inputs) {
    if (inputs.isEmpty() || !inputs.stream().allMatch(InputRows::areFixed)) {
      return RunTimeBasis.VALUES;
    }
    long open = inputs.stream().filter(InputRows::areOpen).count();
    if (open <= 1) {
      return RunTimeBasis.SIZE;
    }
    return open == inputs.size() ? RunTimeBasis.SIZE_OF_EQUAL_ROWS : RunTimeBasis.VALUES;
  }

  /** Returns whether the rows of an input have one size. */
  private static boolean areFixed(TensorSpec input) {
    Shape shape = input.shape();
    if (!shape.isRankKnown() || !input.type().isFixedSize()) {
      return false;
    }
    boolean fixed = true;
    for (int i = 1; i < shape.rank(); i++) {
      fixed &= shape.dim(i) >= 0;
    }
    return fixed;
  }

  /** Returns whether an input has any number of rows. */
  private static boolean areOpen(TensorSpec input) {
    return input.shape().rank() > 0 && input.shape().dim(0) < 0;
  }
}
