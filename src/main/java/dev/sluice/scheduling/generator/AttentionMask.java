package dev.sluice.scheduling.generator;

import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** An input of rows that get longer by a one with each step. Owns what it has grown to. */
final class AttentionMask implements AutoCloseable {
  private Tensor grown;

  /**
   * @param first taken over; of rank 2
   */
  AttentionMask(Tensor first) {
    this.grown = first;
  }

  /** Returns a mask that leaves nothing out. */
  static Tensor ones(DataType type, long rows, long length) {
    Tensor ones = Tensor.allocate(type, Shape.of(rows, length));
    for (long i = 0; i < rows * length; i++) {
      putOne(ones, i);
    }
    return ones;
  }

  /** Returns the mask as it is now: valid until it grows. */
  Tensor now() {
    return grown.borrow();
  }

  void grow() {
    long rows = grown.shape().dim(0);
    long length = grown.shape().dim(1);
    Tensor longer = Tensor.allocate(grown.type(), Shape.of(rows, length + 1));
    int size = grown.type().byteSize();
    for (long row = 0; row < rows; row++) {
      MemorySegment.copy(
          grown.data(),
          row * length * size,
          longer.data(),
          row * (length + 1) * size,
          length * size);
      putOne(longer, row * (length + 1) + length);
    }
    grown.close();
    grown = longer;
  }

  private static void putOne(Tensor tensor, long index) {
    MemorySegment data = tensor.data();
    switch (tensor.type()) {
      case INT64 -> data.setAtIndex(ValueLayout.JAVA_LONG, index, 1);
      case INT32 -> data.setAtIndex(ValueLayout.JAVA_INT, index, 1);
      case FP32 -> data.setAtIndex(ValueLayout.JAVA_FLOAT, index, 1);
      case BOOL -> data.set(ValueLayout.JAVA_BYTE, index, (byte) 1);
      default -> throw new IllegalArgumentException("a mask is not made of " + tensor.type());
    }
  }

  @Override
  public void close() {
    grown.close();
  }
}
