package dev.sluice.protocol.grps;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.HalfFloats;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;

/**
 * Single elements between wire values and tensors. A value that the tensor's type does not hold is
 * refused, never cut; floating point values are rounded to the nearest, but not to infinity.
 */
public final class ElementConversion {
  private ElementConversion() {}

  /** Puts a whole number into a tensor of an integer type or BOOL; false if it does not fit. */
  public static boolean put(TensorBuilder out, long value) {
    if (!holds(out.type(), value)) {
      return false;
    }
    switch (out.type().byteSize()) {
      case 1 -> out.putByte((byte) value);
      case 2 -> out.putShort((short) value);
      case 4 -> out.putInt((int) value);
      default -> out.putLong(value);
    }
    return true;
  }

  private static boolean holds(DataType type, long value) {
    return switch (type) {
      case BOOL -> value == 0 || value == 1;
      case UINT8 -> value >= 0 && value <= 0xFF;
      case UINT16 -> value >= 0 && value <= 0xFFFF;
      case UINT32 -> value >= 0 && value <= 0xFFFF_FFFFL;
      case UINT64 -> value >= 0;
      case INT8 -> value == (byte) value;
      case INT16 -> value == (short) value;
      case INT32 -> value == (int) value;
      case INT64 -> true;
      default -> false;
    };
  }

  /** Puts a number into a tensor of a floating point type; false if it is beyond its range. */
  public static boolean put(TensorBuilder out, double value) {
    boolean finite = Double.isFinite(value);
    switch (out.type()) {
      case FP16 -> {
        short half = HalfFloats.toFp16(value);
        if (finite && Float.isInfinite(HalfFloats.fromFp16(half))) {
          return false;
        }
        out.putShort(half);
      }
      case BF16 -> {
        short half = HalfFloats.toBf16(value);
        if (finite && Float.isInfinite(HalfFloats.fromBf16(half))) {
          return false;
        }
        out.putShort(half);
      }
      case FP32 -> {
        float single = (float) value;
        if (finite && Float.isInfinite(single)) {
          return false;
        }
        out.putFloat(single);
      }
      case FP64 -> out.putDouble(value);
      default -> {
        return false;
      }
    }
    return true;
  }

  /** Returns an element of an integer type or BOOL. UINT64 is given as its bits. */
  public static long integer(Tensor tensor, long index) {
    return switch (tensor.type()) {
      case BOOL -> tensor.data().get(JAVA_BYTE, index) != 0 ? 1 : 0;
      case UINT8 -> tensor.data().get(JAVA_BYTE, index) & 0xFFL;
      case UINT16 -> tensor.data().getAtIndex(JAVA_SHORT, index) & 0xFFFFL;
      case UINT32 -> tensor.data().getAtIndex(JAVA_INT, index) & 0xFFFF_FFFFL;
      case INT8 -> tensor.data().get(JAVA_BYTE, index);
      case INT16 -> tensor.data().getAtIndex(JAVA_SHORT, index);
      case INT32 -> tensor.data().getAtIndex(JAVA_INT, index);
      case UINT64, INT64 -> tensor.data().getAtIndex(JAVA_LONG, index);
      default -> throw new IllegalArgumentException(tensor + " holds no whole numbers");
    };
  }

  /**
   * Returns an element of an integer type or BOOL as a signed 64-bit number, which the largest
   * unsigned ones are not.
   */
  public static long int64(NamedTensor output, long index) {
    long value = integer(output.tensor(), index);
    if (value < 0 && output.tensor().type() == DataType.UINT64) {
      throw new InferenceException(
          ErrorCode.INTERNAL,
          "output %s holds %s, which DT_INT64 cannot carry"
              .formatted(output.name(), Long.toUnsignedString(value)));
    }
    return value;
  }

  /** Returns an element of FP16, BF16 or FP32, exactly. */
  public static float single(Tensor tensor, long index) {
    return switch (tensor.type()) {
      case FP16 -> HalfFloats.fromFp16(tensor.data().getAtIndex(JAVA_SHORT, index));
      case BF16 -> HalfFloats.fromBf16(tensor.data().getAtIndex(JAVA_SHORT, index));
      case FP32 -> tensor.data().getAtIndex(JAVA_FLOAT, index);
      default -> throw new IllegalArgumentException(tensor + " holds no 32-bit numbers");
    };
  }

  /** Returns an element of FP64. */
  public static double wide(Tensor tensor, long index) {
    return tensor.data().getAtIndex(JAVA_DOUBLE, index);
  }

  /** Returns the values that an input of a type takes, for error texts. */
  public static String wanted(DataType type) {
    return switch (type) {
      case BOOL -> "0 or 1";
      case UINT8 -> "a whole number from 0 to 255";
      case UINT16 -> "a whole number from 0 to 65535";
      case UINT32 -> "a whole number from 0 to 4294967295";
      case UINT64 -> "a whole number from 0 to 9223372036854775807";
      case INT8 -> "a whole number from -128 to 127";
      case INT16 -> "a whole number from -32768 to 32767";
      case INT32 -> "a whole number from -2147483648 to 2147483647";
      case INT64 -> "a whole number of 64 bits";
      case FP16, BF16, FP32 -> "a number in the range of " + type;
      case FP64 -> "a number";
      case BYTES -> "text";
      default -> "nothing: its type is not supported";
    };
  }
}
