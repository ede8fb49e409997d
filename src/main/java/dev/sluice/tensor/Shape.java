package dev.sluice.tensor;

import java.util.Arrays;

/**
 * The sizes of a tensor's dimensions, outermost first. A scalar has none.
 *
 * <p>A model's declared shape may leave a size open, written -1, or leave even the number of
 * dimensions open: {@link #UNKNOWN}. The shape of an actual tensor has neither.
 */
public final class Shape {
  private static final long MOST_LISTS = 1L << 62;

  /** Any number of dimensions of any size. */
  public static final Shape UNKNOWN = new Shape(new long[0], false);

  public static final Shape SCALAR = new Shape(new long[0], true);

  /** Stands for a dimension of any size. */
  public static final long ANY = -1;

  private final long[] dims;
  private final boolean rankKnown;

  private Shape(long[] dims, boolean rankKnown) {
    this.dims = dims;
    this.rankKnown = rankKnown;
  }

  /**
   * Returns a shape of these sizes, outermost first.
   *
   * @throws IllegalArgumentException if a size is below -1
   */
  public static Shape of(long... dims) {
    for (long dim : dims) {
      if (dim < ANY) {
        throw new IllegalArgumentException("a dimension cannot be " + dim);
      }
    }
    return dims.length == 0 ? SCALAR : new Shape(dims.clone(), true);
  }

  /** Returns whether the number of dimensions is known; a model may leave even that open. */
  public boolean isRankKnown() {
    return rankKnown;
  }

  /** Returns the number of dimensions; 0 for a scalar and for {@link #UNKNOWN}. */
  public int rank() {
    return dims.length;
  }

  /** Returns the size of a dimension; {@link #ANY} if it is open. */
  public long dim(int index) {
    return dims[index];
  }

  /** Returns a copy of the sizes. */
  public long[] dims() {
    return dims.clone();
  }

  /** Returns whether every size is given, as in the shape of any actual tensor. */
  public boolean isFull() {
    if (!rankKnown) {
      return false;
    }
    for (long dim : dims) {
      if (dim == ANY) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns the number of elements, 0 as soon as one dimension is 0.
   *
   * @throws ArithmeticException if the product exceeds 2^63-1
   * @throws IllegalStateException if the shape is not full
   */
  public long elementCount() {
    if (!isFull()) {
      throw new IllegalStateException("shape " + this + " has no element count");
    }
    for (long dim : dims) {
      if (dim == 0) {
        return 0;
      }
    }
    long count = 1;
    for (long dim : dims) {
      count = Math.multiplyExact(count, dim);
    }
    return count;
  }

  /**
   * Returns the number of lists that nested lists of this full shape are made of. There may be many
   * where there is no element: 1 + 40,000,000 in [40000000, 0]. As many as 2^62 at most.
   */
  public long listCount() {
    long lists = 0;
    long inside = 1;
    for (int i = 0; i < dims.length && inside > 0; i++) {
      lists += inside;
      if (lists >= MOST_LISTS || inside > MOST_LISTS / Math.max(1, dims[i])) {
        return MOST_LISTS;
      }
      inside *= dims[i];
    }
    return lists;
  }

  /** Returns whether a tensor of the given full shape fits where this shape is declared. */
  public boolean accepts(Shape actual) {
    if (!rankKnown) {
      return true;
    }
    if (dims.length != actual.dims.length) {
      return false;
    }
    for (int i = 0; i < dims.length; i++) {
      if (dims[i] != ANY && dims[i] != actual.dims[i]) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether the other differs from this shape at most in dimension 0, which both have. */
  public boolean hasRowsLike(Shape other) {
    return dims.length > 0
        && dims.length == other.dims.length
        && Arrays.equals(dims, 1, dims.length, other.dims, 1, dims.length);
  }

  /** Returns whether the other differs from this shape at most in dimension 0 and another one. */
  public boolean hasRowsLike(Shape other, int axis) {
    if (dims.length <= axis || dims.length != other.dims.length) {
      return false;
    }
    for (int i = 1; i < dims.length; i++) {
      if (i != axis && dims[i] != other.dims[i]) {
        return false;
      }
    }
    return true;
  }

  /** This shape with another size of dimension 0, which it must have. */
  public Shape withRows(long rows) {
    long[] changed = dims.clone();
    changed[0] = rows;
    return of(changed);
  }

  /** This shape with another outermost size in front of it. */
  public Shape prepend(long dim) {
    long[] longer = new long[dims.length + 1];
    longer[0] = dim;
    System.arraycopy(dims, 0, longer, 1, dims.length);
    return of(longer);
  }

  /** Returns this shape without dimension 0, which it must have. */
  public Shape withoutRows() {
    return of(Arrays.copyOfRange(dims, 1, dims.length));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Shape shape
        && rankKnown == shape.rankKnown
        && Arrays.equals(dims, shape.dims);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(dims) * 31 + Boolean.hashCode(rankKnown);
  }

  /**
   * Returns the shape as messages show it: {@code [-1,16]}, {@code []} for a scalar, {@code [...]}
   * if unknown.
   */
  @Override
  public String toString() {
    if (!rankKnown) {
      return "[...]";
    }
    var text = new StringBuilder("[");
    for (int i = 0; i < dims.length; i++) {
      text.append(i == 0 ? "" : ",").append(dims[i]);
    }
    return text.append(']').toString();
  }
}
