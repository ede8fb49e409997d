package dev.sluice.protocol.tfs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.sluice.protocol.codec.HalfFloats;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/** Single elements of tensors as numbers. */
final class NumericElements {
  private NumericElements() {}

  static boolean isNumber(DataType type) {
    return type.isFloat() || type.isInteger();
  }

  /** Returns an element as the nearest float; see {@link #isNumber}. */
  static float toFloat(Tensor tensor, long index) {
    MemorySegment data = tensor.data();
    return switch (tensor.type()) {
      case FP32 -> data.getAtIndex(JAVA_FLOAT, index);
      case FP64 -> (float) data.getAtIndex(JAVA_DOUBLE, index);
      case FP16 -> HalfFloats.fromFp16(data.getAtIndex(JAVA_SHORT, index));
      case BF16 -> HalfFloats.fromBf16(data.getAtIndex(JAVA_SHORT, index));
      case UINT64 -> Float.parseFloat(toText(tensor, index));
      case BOOL, UINT8, UINT16, UINT32, INT8, INT16, INT32, INT64 -> toLong(tensor, index);
      default -> throw new IllegalArgumentException(tensor + " holds no numbers");
    };
  }

  /** Returns an element of a tensor of integers in decimal. */
  static String toText(Tensor tensor, long index) {
    long value = toLong(tensor, index);
    return tensor.type() == DataType.UINT64 ? Long.toUnsignedString(value) : Long.toString(value);
  }

  private static long toLong(Tensor tensor, long index) {
    MemorySegment data = tensor.data();
    return switch (tensor.type()) {
      case BOOL, INT8 -> data.get(JAVA_BYTE, index);
      case UINT8 -> Byte.toUnsignedLong(data.get(JAVA_BYTE, index));
      case INT16 -> data.getAtIndex(JAVA_SHORT, index);
      case UINT16 -> Short.toUnsignedLong(data.getAtIndex(JAVA_SHORT, index));
      case INT32 -> data.getAtIndex(JAVA_INT, index);
      case UINT32 -> Integer.toUnsignedLong(data.getAtIndex(JAVA_INT, index));
      case INT64, UINT64 -> data.getAtIndex(JAVA_LONG, index);
      default -> throw new IllegalArgumentException(tensor + " holds no integers");
    };
  }
}
