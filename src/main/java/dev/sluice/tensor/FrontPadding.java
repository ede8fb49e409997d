package dev.sluice.tensor;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Left padding: puts rows of different lengths under one another, the shorter ones with zeros in
 * front, and cuts them again.
 */
public final class FrontPadding {
  private FrontPadding() {}

  /**
   * Joins tensors along dimension 0 once each has zeros in front along another dimension, or lacks
   * elements there.
   *
   * @param tensors borrowed, of one fixed-size type; alike in all dimensions but 0 and {@code axis}
   * @param axis the dimension that is padded, above 0
   * @param added for each tensor, how many elements its rows get in front; negative: how many they
   *     lose. With them all are equally long
   * @param rows of the result, no fewer than the tensors have: the first row is repeated
   * @return a tensor of its own
   */
  public static Tensor joined(List<Tensor> tensors, int axis, long[] added, int rows) {
    Shape first = tensors.getFirst().shape();
    long[] dims = first.dims();
    dims[axis] += added[0];
    dims[0] = rows;
    Tensor joined = Tensor.allocate(tensors.getFirst().type(), Shape.of(dims));
    try {
      long at = 0;
      for (int i = 0; i < tensors.size(); i++) {
        at = copy(tensors.get(i), axis, added[i], joined.data(), at);
      }
      repeatFirst(joined, at);
      return joined;
    } catch (RuntimeException | Error e) {
      joined.close();
      throw e;
    }
  }

  /** Returns a tensor of its own without so many elements in front of each row. */
  public static Tensor cut(Tensor tensor, int axis, long front) {
    int rows = Math.toIntExact(tensor.shape().dim(0));
    return joined(List.of(tensor), axis, new long[] {-front}, rows);
  }

  /** Copies one tensor, and returns where the next one begins. */
  private static long copy(Tensor tensor, int axis, long added, MemorySegment to, long begin) {
    Shape shape = tensor.shape();
    long inner = tensor.type().byteSize();
    for (int i = axis + 1; i < shape.rank(); i++) {
      inner *= shape.dim(i);
    }
    long outer = 1;
    for (int i = 0; i < axis; i++) {
      outer *= shape.dim(i);
    }
    long zeros = Math.max(0, added) * inner;
    long lost = Math.max(0, -added) * inner;
    long length = shape.dim(axis) * inner;
    long at = begin;
    for (long i = 0; i < outer; i++) {
      to.asSlice(at, zeros).fill((byte) 0);
      MemorySegment.copy(tensor.data(), i * length + lost, to, at + zeros, length - lost);
      at += zeros + length - lost;
    }
    return at;
  }

  private static void repeatFirst(Tensor joined, long from) {
    long row = joined.byteSize() / joined.shape().dim(0);
    for (long at = from; at < joined.byteSize(); at += row) {
      MemorySegment.copy(joined.data(), 0, joined.data(), at, row);
    }
  }
}
