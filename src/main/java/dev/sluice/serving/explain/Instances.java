package dev.sluice.serving.explain;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.util.Arrays;

/**
 * The rows that are to be explained. Borrows the request's tensor.
 *
 * @param spec the model's only input
 * @param tensor the rows
 * @param count how many there are
 * @param elements how many numbers each has
 */
record Instances(TensorSpec spec, Tensor tensor, int count, int elements) {
  /**
   * Returns the rows of a request.
   *
   * @throws InferenceException with UNIMPLEMENTED if the model is none that can be explained by
   *     changing numbers
   */
  static Instances of(InferenceRequest request) {
    if (request.signature().inputs().size() != 1 || request.inputs().size() != 1) {
      throw notExplained(request, "has " + request.signature().inputs().size() + " inputs");
    }
    NamedTensor input = request.inputs().getFirst();
    Tensor tensor = input.tensor();
    if (!DoubleElements.isNumeric(tensor.type())) {
      throw notExplained(request, "takes " + tensor.type());
    }
    TensorSpec spec = request.signature().input(input.name()).orElseThrow();
    if (tensor.shape().rank() == 0 || tensor.elementCount() == 0) {
      throw InferenceException.invalid("there is nothing to explain in shape " + tensor.shape());
    }
    if (fixedRows(spec.shape()) > 1) {
      throw notExplained(request, "takes rows of shape " + spec.shape() + " only");
    }
    long rows = tensor.shape().dim(0);
    return new Instances(
        spec, tensor, Math.toIntExact(rows), Math.toIntExact(tensor.elementCount() / rows));
  }

  private static InferenceException notExplained(InferenceRequest request, String why) {
    return new InferenceException(
        ErrorCode.UNIMPLEMENTED,
        "model \"%s\" %s; explanations are made for models with one input of numbers, a row for each instance"
            .formatted(request.model().id().name(), why));
  }

  private static long fixedRows(Shape declared) {
    return declared.isRankKnown() && declared.rank() > 0 ? declared.dim(0) : Shape.ANY;
  }

  /** Returns whether the model takes no more than one row at once. */
  boolean oneByOne() {
    return fixedRows(spec.shape()) == 1;
  }

  /** Returns the number of bytes of one row. */
  long rowBytes() {
    return (long) elements * spec.type().byteSize();
  }

  /** Returns the shape of one row. */
  Shape rowShape() {
    long[] dims = tensor.shape().dims();
    return Shape.of(Arrays.copyOfRange(dims, 1, dims.length));
  }
}
