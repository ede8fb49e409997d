package dev.sluice.serving.ragged;

import dev.sluice.inference.Signature;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The same made-up rows in every call, for all inputs of a signature. A row depends on its number
 * alone, whatever stands beside it. The caller closes what it gets.
 *
 * @param signature its inputs can be made up, see {@link #canBeMadeUp}
 */
public record SyntheticRows(Signature signature) {
  /**
   * Returns whether a tensor's first dimension is open and its type one that numbers are drawn for.
   */
  public static boolean canBeMadeUp(TensorSpec spec) {
    return isOpen(spec)
        && (spec.type() == DataType.BOOL
            || spec.type().isInteger()
            || spec.type() == DataType.FP32
            || spec.type() == DataType.FP64);
  }

  /** Returns whether a tensor's first dimension is open. */
  public static boolean isOpen(TensorSpec spec) {
    return spec.shape().isRankKnown()
        && spec.shape().rank() > 0
        && spec.shape().dim(0) == Shape.ANY;
  }

  /** Returns all inputs, with these rows in this order. */
  public List<NamedTensor> inputs(int... rows) {
    return signature.inputs().stream()
        .filter(spec -> !spec.optional())
        .map(spec -> new NamedTensor(spec.name(), tensor(spec, spec.shape().dims(), rows)))
        .toList();
  }

  /**
   * Returns all inputs, with one row of a length.
   *
   * @param axes of inputs whose rows have a length, the dimension that it is
   */
  public List<NamedTensor> row(int row, Map<String, Integer> axes, int length) {
    return signature.inputs().stream()
        .filter(spec -> !spec.optional())
        .map(spec -> {
          long[] dims = spec.shape().dims();
          if (axes.containsKey(spec.name())) {
            dims[axes.get(spec.name())] = length;
          }
          return new NamedTensor(spec.name(), tensor(spec, dims, row));
        })
        .toList();
  }

  private static Tensor tensor(TensorSpec spec, long[] dims, int... rows) {
    for (int i = 0; i < dims.length; i++) {
      dims[i] = dims[i] == Shape.ANY ? 1 : dims[i];
    }
    dims[0] = rows.length;
    Tensor tensor = Tensor.allocate(spec.type(), Shape.of(dims));
    long rowBytes = tensor.byteSize() / rows.length;
    for (int i = 0; i < rows.length; i++) {
      fill(tensor.data().asSlice(i * rowBytes, rowBytes), spec.type(), rows[i]);
    }
    return tensor;
  }

  /** Whole numbers are 0 or 1, which is in range wherever they are positions. */
  private static void fill(MemorySegment row, DataType type, int number) {
    var random = new SplittableRandom(number);
    row.fill((byte) 0);
    for (long at = 0; at < row.byteSize(); at += type.byteSize()) {
      if (type == DataType.FP32) {
        row.set(ValueLayout.JAVA_FLOAT_UNALIGNED, at, (float) random.nextDouble(-1, 1));
      } else if (type == DataType.FP64) {
        row.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, at, random.nextDouble(-1, 1));
      } else {
        row.set(ValueLayout.JAVA_BYTE, at, (byte) random.nextInt(2));
      }
    }
  }
}
