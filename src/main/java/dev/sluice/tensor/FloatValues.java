package dev.sluice.tensor;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Elements of floating-point tensors, whatever their precision. Borrows the tensors. */
public final class FloatValues {
  private FloatValues() {}

  /** Returns an element of a tensor of FP32, FP64, FP16 or BF16. */
  public static double at(Tensor tensor, long index) {
    MemorySegment data = tensor.data();
    return switch (tensor.type()) {
      case FP32 -> data.getAtIndex(ValueLayout.JAVA_FLOAT, index);
      case FP64 -> data.getAtIndex(ValueLayout.JAVA_DOUBLE, index);
      case FP16 -> Float.float16ToFloat(data.getAtIndex(ValueLayout.JAVA_SHORT, index));
      default -> Float.intBitsToFloat(data.getAtIndex(ValueLayout.JAVA_SHORT, index) << 16);
    };
  }

  /**
   * Returns whether tensors of one shape and a floating-point type are alike.
   *
   * @param tolerance by which elements may differ, as a part of the largest one of {@code other}
   */
  public static boolean areNear(Tensor one, Tensor other, double tolerance) {
    double largest = 0;
    double difference = 0;
    for (long i = 0; i < one.elementCount(); i++) {
      double value = at(other, i);
      largest = Math.max(largest, Math.abs(value));
      difference = Math.max(difference, Math.abs(value - at(one, i)));
    }
    return difference <= largest * tolerance;
  }
}
