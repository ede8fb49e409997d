package dev.sluice.serving.explain;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.DataType;
import java.lang.foreign.MemorySegment;

/**
 * Elements of any numeric type as doubles, and the other way round.
 *
 * <p>Exact for all integers up to 53 bits and all floats; larger integers are rounded, which
 * sampling does not notice.
 */
final class DoubleElements {
  private static final double TWO_TO_64 = 0x1p64;

  private DoubleElements() {}

  static boolean isNumeric(DataType type) {
    return type.isFloat() || type.isInteger();
  }

  /** Returns one element of a tensor's memory. */
  static double get(MemorySegment data, DataType type, long element) {
    long at = element * type.byteSize();
    return switch (type) {
      case FP32 -> data.get(JAVA_FLOAT_UNALIGNED, at);
      case FP64 -> data.get(JAVA_DOUBLE_UNALIGNED, at);
      case FP16 -> Float.float16ToFloat(data.get(JAVA_SHORT_UNALIGNED, at));
      case BF16 -> Float.intBitsToFloat(data.get(JAVA_SHORT_UNALIGNED, at) << 16);
      case INT8 -> data.get(JAVA_BYTE, at);
      case UINT8 -> data.get(JAVA_BYTE, at) & 0xFF;
      case INT16 -> data.get(JAVA_SHORT_UNALIGNED, at);
      case UINT16 -> data.get(JAVA_SHORT_UNALIGNED, at) & 0xFFFF;
      case INT32 -> data.get(JAVA_INT_UNALIGNED, at);
      case UINT32 -> Integer.toUnsignedLong(data.get(JAVA_INT_UNALIGNED, at));
      case INT64 -> data.get(JAVA_LONG_UNALIGNED, at);
      case UINT64 -> unsigned(data.get(JAVA_LONG_UNALIGNED, at));
      default -> throw new IllegalArgumentException(type + " is no number");
    };
  }

  private static double unsigned(long bits) {
    return bits >= 0 ? bits : bits + TWO_TO_64;
  }

  /**
   * Sets one element.
   *
   * @throws InferenceException with FAILED_PRECONDITION if the type has no such number
   */
  static void put(MemorySegment data, DataType type, long element, double value) {
    long at = element * type.byteSize();
    switch (type) {
      case FP32 -> data.set(JAVA_FLOAT_UNALIGNED, at, (float) value);
      case FP64 -> data.set(JAVA_DOUBLE_UNALIGNED, at, value);
      case FP16 -> data.set(JAVA_SHORT_UNALIGNED, at, Float.floatToFloat16((float) value));
      case BF16 ->
          data.set(
              JAVA_SHORT_UNALIGNED, at, (short) (Float.floatToRawIntBits((float) value) >>> 16));
      case INT8, UINT8 -> data.set(JAVA_BYTE, at, (byte) whole(value, type));
      case INT16, UINT16 -> data.set(JAVA_SHORT_UNALIGNED, at, (short) whole(value, type));
      case INT32, UINT32 -> data.set(JAVA_INT_UNALIGNED, at, (int) whole(value, type));
      case INT64, UINT64 -> data.set(JAVA_LONG_UNALIGNED, at, whole(value, type));
      default -> throw new IllegalArgumentException(type + " is no number");
    }
  }

  private static long whole(double value, DataType type) {
    boolean signed = type.name().startsWith("INT");
    double beyond = Math.scalb(1.0, type.byteSize() * 8 - (signed ? 1 : 0));
    if (value != Math.rint(value) || value >= beyond || value < (signed ? -beyond : 0)) {
      throw BaselineRows.wrong(value + " is no " + type + ", which the model takes");
    }
    return value >= 0x1p63 ? (long) (value - 0x1p63) + Long.MIN_VALUE : (long) value;
  }
}
