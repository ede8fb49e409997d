package dev.sluice.protocol.tfs;

import dev.sluice.tensor.Tensor;

/**
 * A value for each example.
 *
 * @param tensor of shape [examples] or [examples,1], of numbers
 */
public record RegressionResults(Tensor tensor) implements ExampleResults {
  /** Returns how many examples there are. */
  public int rows() {
    return Math.toIntExact(tensor.elementCount());
  }

  /** Returns the predicted value of an example. */
  public float value(int row) {
    return NumericElements.toFloat(tensor, row);
  }
}
