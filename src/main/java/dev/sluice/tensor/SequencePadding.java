package dev.sluice.tensor;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Padding of sequences: puts rows of different lengths under one another, the shorter ones with
 * zeros, or another value, on one side, and cuts them again.
 */
public final class SequencePadding {
  private SequencePadding() {}

  /**
   * Joins tensors along dimension 0 once each has zeros on a side along another dimension, or lacks
   * elements there.
   *
   * @param tensors borrowed, of one fixed-size type; alike in all dimensions but 0 and {@code axis}
   * @param axis the dimension that is padded, above 0
   * @param side the side on which elements are added or removed
   * @param added for each tensor, how many elements its rows get; negative: how many they lose.
   *     With them all are equally long
   * @param rows of the result, no fewer than the tensors have: the first row is repeated
   * @return a tensor of its own
   */
  public static Tensor joined(
      List<Tensor> tensors, int axis, PaddingSide side, long[] added, int rows) {
    return joined(tensors, axis, side, added, rows, ElementValue.ZERO);
  }

  /**
   * The same with another value than zero for what is added.
   *
   * @param padding an element of the tensors' type
   */
  public static Tensor joined(
      List<Tensor> tensors,
      int axis,
      PaddingSide side,
      long[] added,
      int rows,
      ElementValue padding) {
    Shape first = tensors.getFirst().shape();
    long[] dims = first.dims();
    dims[axis] += added[0];
    dims[0] = rows;
    Tensor joined = Tensor.allocate(tensors.getFirst().type(), Shape.of(dims));
    try {
      long at = 0;
      for (int i = 0; i < tensors.size(); i++) {
        at = new Rows(tensors.get(i), axis, side, padding).copy(added[i], joined.data(), at);
      }
      repeatFirst(joined, at);
      return joined;
    } catch (RuntimeException | Error e) {
      joined.close();
      throw e;
    }
  }

  /** Returns a tensor of its own without so many elements on a side of each row. */
  public static Tensor cut(Tensor tensor, int axis, PaddingSide side, long elements) {
    int rows = Math.toIntExact(tensor.shape().dim(0));
    return joined(List.of(tensor), axis, side, new long[] {-elements}, rows);
  }

  /**
   * Copies a tensor over another one, with zeros on a side along a dimension or without elements
   * there.
   *
   * @param added how many elements its rows get; negative: how many they lose
   * @param to as large as it is then
   */
  public static void copy(Tensor tensor, int axis, PaddingSide side, long added, Tensor to) {
    new Rows(tensor, axis, side, ElementValue.ZERO).copy(added, to.data(), 0);
  }

  /** One tensor on its way to its place among the others. */
  private record Rows(Tensor tensor, int axis, PaddingSide side, ElementValue padding) {
    /** Copies it, and returns where the next one begins. */
    long copy(long added, MemorySegment to, long begin) {
      Shape shape = tensor.shape();
      long inner = tensor.type().byteSize() * product(shape, axis + 1, shape.rank());
      boolean left = side == PaddingSide.LEFT;
      long filled = Math.max(0, added) * inner;
      long lost = Math.max(0, -added) * inner;
      long length = shape.dim(axis) * inner;
      long kept = length - lost;
      long at = begin;
      for (long i = 0; i < product(shape, 0, axis); i++) {
        padding.fill(to, left ? at : at + kept, filled);
        MemorySegment.copy(
            tensor.data(), i * length + (left ? lost : 0), to, left ? at + filled : at, kept);
        at += filled + kept;
      }
      return at;
    }

    private static long product(Shape shape, int from, int to) {
      long product = 1;
      for (int i = from; i < to; i++) {
        product *= shape.dim(i);
      }
      return product;
    }
  }

  private static void repeatFirst(Tensor joined, long from) {
    long row = joined.byteSize() / joined.shape().dim(0);
    for (long at = from; at < joined.byteSize(); at += row) {
      MemorySegment.copy(joined.data(), 0, joined.data(), at, row);
    }
  }
}
