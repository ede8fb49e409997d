package dev.sluice.runtime;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;

/**
 * Two shapes of the same elements of one tensor: the one that requests and responses have, and the
 * one that the model has. Open dimensions of the one stand for those of the other, in their order.
 *
 * @param declared what callers see
 * @param model what the model takes or returns
 */
public record Reshape(Shape declared, Shape model) {
  /**
   * Requires that both shapes hold the same elements, which can be counted.
   *
   * @param tensor its name, for the text
   * @throws InferenceException with FAILED_PRECONDITION if they do not
   */
  public Reshape require(String tensor) {
    if (open(declared) != open(model) || size(declared) != size(model)) {
      throw new InferenceException(
          ErrorCode.FAILED_PRECONDITION,
          "'%s' has dims %s and reshape %s (both with the batch dimension, if there is one); wanted the"
                  .formatted(tensor, declared, model)
              + " same number of elements, and as many dimensions of variable size");
    }
    return this;
  }

  /**
   * Returns whether the two shapes differ; if not, the declared one is only more precise than the
   * model's.
   */
  boolean changes() {
    return !declared.equals(model);
  }

  private static long open(Shape shape) {
    long open = 0;
    for (int i = 0; i < shape.rank(); i++) {
      open += shape.dim(i) == Shape.ANY ? 1 : 0;
    }
    return open;
  }

  /** Elements, each open dimension counted as one. */
  private static long size(Shape shape) {
    long size = 1;
    for (int i = 0; i < shape.rank(); i++) {
      size = Math.multiplyExact(size, shape.dim(i) == Shape.ANY ? 1 : shape.dim(i));
    }
    return size;
  }

  /** Returns the tensor with the model's shape: the same memory, which stays the caller's. */
  NamedTensor toModel(NamedTensor tensor) {
    Shape shape = shape(tensor, declared, model);
    return new NamedTensor(tensor.name(), tensor.tensor().borrow(shape));
  }

  /**
   * Returns the tensor with the declared shape. Takes it over; the caller owns what is returned.
   */
  NamedTensor toCaller(NamedTensor named) {
    Tensor tensor = named.tensor();
    Shape shape = shape(named, model, declared);
    return new NamedTensor(
        named.name(), Tensor.adopt(tensor.type(), shape, tensor.data(), tensor::close));
  }

  private static Shape shape(NamedTensor named, Shape from, Shape to) {
    Shape actual = named.tensor().shape();
    if (!from.accepts(actual)) {
      throw InferenceException.invalid(
          "'%s' has shape %s, wanted %s".formatted(named.name(), actual, from));
    }
    long[] dims = to.dims();
    int next = 0;
    for (int i = 0; i < dims.length; i++) {
      if (dims[i] == Shape.ANY) {
        while (from.dim(next) != Shape.ANY) {
          next++;
        }
        dims[i] = actual.dim(next++);
      }
    }
    return Shape.of(dims);
  }
}
