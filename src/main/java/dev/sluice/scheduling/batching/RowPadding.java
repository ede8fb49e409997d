package dev.sluice.scheduling.batching;

import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import java.util.List;

/**
 * Makes rows of different sizes alike: behind its elements each row gets the tensor's own first
 * element again and again, along every dimension that is too short.
 */
final class RowPadding {
  private RowPadding() {}

  /** Returns whether some rows are larger than others. Tensors have the same rank, above 0. */
  static boolean isNeeded(List<Tensor> tensors) {
    Shape first = tensors.getFirst().shape();
    for (int i = 1; i < tensors.size(); i++) {
      if (!first.hasRowsLike(tensors.get(i).shape())) {
        return true;
      }
    }
    return false;
  }

  /** Returns the smallest shape, of one row, that a row of each fits into. */
  static Shape largest(List<Tensor> tensors) {
    long[] dims = tensors.getFirst().shape().withRows(1).dims();
    for (Tensor tensor : tensors) {
      for (int d = 1; d < dims.length; d++) {
        dims[d] = Math.max(dims[d], tensor.shape().dim(d));
      }
    }
    return Shape.of(dims);
  }

  /**
   * Pads a tensor.
   *
   * @param row a shape of one row, no smaller than the tensor's in any dimension
   * @param mostBytes that the result may have
   * @return a tensor of its own
   * @throws InferenceException with INVALID_ARGUMENT if it would have more, or if there is nothing
   *     to pad with
   */
  static Tensor pad(Tensor tensor, Shape row, long mostBytes) {
    Shape shape = row.withRows(tensor.shape().dim(0));
    long added = added(tensor, shape);
    if (added > 0 && tensor.elementCount() == 0) {
      throw InferenceException.invalid("a tensor without elements cannot be padded");
    }
    long first = tensor.elementCount() == 0 ? 0 : tensor.byteSizeOf(0, 1);
    if (first > 0 && added > (mostBytes - Math.min(mostBytes, tensor.byteSize())) / first) {
      throw InferenceException.invalid(
          "a tensor of shape %s is too large once it is padded to %s"
              .formatted(tensor.shape(), shape));
    }
    try (var builder = new TensorBuilder(tensor.type(), tensor.byteSize() + added * first)) {
      new Copy(tensor, shape, first, builder).dimension(0, true);
      return builder.build(shape);
    }
  }

  private static long added(Tensor tensor, Shape shape) {
    try {
      return Math.subtractExact(shape.elementCount(), tensor.elementCount());
    } catch (ArithmeticException e) {
      return Long.MAX_VALUE;
    }
  }

  /** One tensor on its way into a larger shape, element by element in their order. */
  private static final class Copy {
    private final Tensor tensor;
    private final Shape to;
    private final long firstBytes;
    private final TensorBuilder builder;
    private long offset;

    Copy(Tensor tensor, Shape to, long firstBytes, TensorBuilder builder) {
      this.tensor = tensor;
      this.to = to;
      this.firstBytes = firstBytes;
      this.builder = builder;
    }

    /** Puts what lies below a place of the dimensions before, which the tensor has or not. */
    void dimension(int dimension, boolean inside) {
      long there = inside ? tensor.shape().dim(dimension) : 0;
      if (dimension == to.rank() - 1) {
        elements(there);
        fill(to.dim(dimension) - there);
        return;
      }
      for (long i = 0; i < to.dim(dimension); i++) {
        dimension(dimension + 1, i < there);
      }
    }

    private void elements(long count) {
      long bytes = tensor.byteSizeOf(offset, count);
      builder.putRaw(tensor.data(), offset, bytes, count);
      offset += bytes;
    }

    private void fill(long count) {
      for (long i = 0; i < count; i++) {
        builder.putRaw(tensor.data(), 0, firstBytes, 1);
      }
    }
  }
}
