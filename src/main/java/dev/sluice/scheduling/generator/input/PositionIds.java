package dev.sluice.scheduling.generator.input;

import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * An input that says where in its sequence each row is. With an open dimension besides its rows it
 * has one position for each element of the step, else that of the first.
 */
public final class PositionIds {
  private final TensorSpec input;

  /** By row: where the next step begins. */
  private final long[] at;

  public PositionIds(TensorSpec input, int rows) {
    this.input = input;
    this.at = new long[rows];
  }

  /** Returns the positions of a step, which then begins. The caller owns the tensor. */
  public Tensor step(int length) {
    Shape shape = shape(length);
    Tensor tensor = Tensor.allocate(input.type(), shape);
    long perRow = shape.elementCount() / rows(shape);
    boolean each = hasLength();
    for (long i = 0; i < shape.elementCount(); i++) {
      put(tensor, i, at[(int) (i / perRow)] + (each ? i % perRow % length : 0));
    }
    advance(length);
    return tensor;
  }

  /** Goes on from positions that the caller gave for a step of a length. */
  public void begin(Tensor given, int length) {
    long perRow = Math.max(1, given.elementCount() / rows(given.shape()));
    for (int row = 0; row < at.length && given.elementCount() > 0; row++) {
      long last = Math.min(given.elementCount(), (row + 1) * perRow) - 1;
      at[row] = get(given, last) + (hasLength() ? 1 : length);
    }
  }

  /** Has the next step begin at a position. */
  public void goTo(long position) {
    Arrays.fill(at, position);
  }

  private void advance(int length) {
    for (int i = 0; i < at.length; i++) {
      at[i] += length;
    }
  }

  private boolean hasLength() {
    for (int i = 1; i < input.shape().rank(); i++) {
      if (input.shape().dim(i) == Shape.ANY) {
        return true;
      }
    }
    return false;
  }

  private Shape shape(int length) {
    long[] dims = input.shape().dims();
    for (int i = 0; i < dims.length; i++) {
      int open = i == 0 ? at.length : length;
      dims[i] = dims[i] == Shape.ANY ? open : dims[i];
    }
    return Shape.of(dims);
  }

  private static long rows(Shape shape) {
    return shape.rank() == 0 ? 1 : Math.max(1, shape.dim(0));
  }

  private void put(Tensor tensor, long index, long value) {
    if (input.type() == DataType.INT64) {
      tensor.data().setAtIndex(ValueLayout.JAVA_LONG, index, value);
    } else {
      tensor.data().setAtIndex(ValueLayout.JAVA_INT, index, (int) value);
    }
  }

  private long get(Tensor tensor, long index) {
    return input.type() == DataType.INT64
        ? tensor.data().getAtIndex(ValueLayout.JAVA_LONG, index)
        : tensor.data().getAtIndex(ValueLayout.JAVA_INT, index);
  }
}
