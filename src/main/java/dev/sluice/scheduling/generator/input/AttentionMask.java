package dev.sluice.scheduling.generator.input;

import dev.sluice.tensor.DataType;
import dev.sluice.tensor.PaddingSide;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * An input of rows that get longer by a one with each token, with zeros on one side where they are
 * padded. Owns what it began with.
 */
public final class AttentionMask implements AutoCloseable {
  private final Tensor first;

  /** Elements of a row without padding, those of the step to come among them. */
  private long length;

  /**
   * @param first taken over; of rank 2
   */
  public AttentionMask(Tensor first) {
    this.first = first;
    this.length = first.shape().dim(1);
  }

  /** Returns a mask that leaves nothing out. */
  public static Tensor ones(DataType type, long rows, long length) {
    Tensor ones = Tensor.allocate(type, Shape.of(rows, length));
    for (long i = 0; i < rows * length; i++) {
      putOne(ones, i);
    }
    return ones;
  }

  /** Returns the mask of the prompt, which stays this mask's. */
  public Tensor first() {
    return first.borrow();
  }

  /** Returns the elements of a row without padding. */
  public long length() {
    return length;
  }

  /**
   * Adds a one, and returns the mask as it is then. The caller owns it.
   *
   * @param padding elements of padding
   * @param side where they are
   */
  public Tensor grow(long padding, PaddingSide side) {
    length++;
    long rows = first.shape().dim(0);
    long begin = first.shape().dim(1);
    Tensor mask = Tensor.allocate(first.type(), Shape.of(rows, padding + length));
    long front = side == PaddingSide.LEFT ? padding : 0;
    int size = first.type().byteSize();
    for (long row = 0; row < rows; row++) {
      long at = row * (padding + length);
      long zeros = side == PaddingSide.LEFT ? at : at + length;
      mask.data().asSlice(zeros * size, padding * size).fill((byte) 0);
      MemorySegment.copy(
          first.data(), row * begin * size, mask.data(), (at + front) * size, begin * size);
      for (long i = begin; i < length; i++) {
        putOne(mask, at + front + i);
      }
    }
    return mask;
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
    first.close();
  }
}
