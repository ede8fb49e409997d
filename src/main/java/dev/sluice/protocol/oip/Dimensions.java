package dev.sluice.protocol.oip;

import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.Shape;
import java.util.Arrays;

/** Collects the sizes of an input's shape as they are read. */
public final class Dimensions {
  /** More than any model has, and few enough to remember for every input. */
  private static final int MOST = 256;

  private long[] sizes = new long[4];
  private int rank;

  /**
   * Adds the next size.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it is negative, or one too many
   */
  public void add(long size) {
    if (size < 0) {
      throw InferenceException.invalid(
          "dimension " + rank + " of a shape is " + size + ", wanted a size that is not negative");
    }
    if (rank == MOST) {
      throw InferenceException.invalid("a shape has more than " + MOST + " dimensions");
    }
    if (rank == sizes.length) {
      sizes = Arrays.copyOf(sizes, rank * 2);
    }
    sizes[rank++] = size;
  }

  /** Returns the dimensions read so far as a shape. */
  public Shape toShape() {
    return Shape.of(Arrays.copyOf(sizes, rank));
  }
}
