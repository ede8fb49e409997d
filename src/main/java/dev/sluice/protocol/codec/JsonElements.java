package dev.sluice.protocol.codec;

import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.TensorBuilder;

/**
 * Reads JSON values as elements of one tensor type, straight into the tensor's memory. Exact or
 * refused: no fraction becomes an integer, no number is cut to fit.
 */
@FunctionalInterface
public interface JsonElements {
  /** Takes no value: the reader of a type that has no form in JSON. */
  JsonElements NONE = (_, _) -> false;

  /**
   * Reads the next value as one element.
   *
   * @return false if the value is not one of this type, or out of its range; nothing is put then,
   *     and the cursor stands before the value
   */
  boolean read(JsonCursor in, TensorBuilder out);

  /**
   * Reads this element and those behind it that are written in the plainest way, up to a number of
   * them: {@link #read} in a row, without a look at anything else. May always read none.
   *
   * @return how many were read; the cursor stands behind the last of them, or where it was
   */
  default long readRun(JsonCursor in, TensorBuilder out, long most) {
    return 0;
  }

  /** Returns the reader of a type's elements. Those that are not common take none. */
  static JsonElements of(DataType type) {
    return of(type, false);
  }

  /**
   * Returns the reader of a type's elements.
   *
   * @param wholeFloats whether floats that are whole numbers are integers too, such as {@code 2.0}
   */
  static JsonElements of(DataType type, boolean wholeFloats) {
    return switch (type) {
      case BOOL -> JsonElements::bool;
      case UINT8, UINT16, UINT32, UINT64, INT8, INT16, INT32, INT64 ->
          IntegerElements.of(type, wholeFloats);
      case FP16 -> JsonElements::half;
      case BF16 -> JsonElements::brainFloat;
      case FP32 -> new FloatElements(false);
      case FP64 -> new FloatElements(true);
      case BYTES -> JsonElements::text;
      default -> NONE;
    };
  }

  /**
   * Reads {@code true} or {@code false}; returns false for any other value, which is not consumed.
   */
  private static boolean bool(JsonCursor in, TensorBuilder out) {
    Kind kind = in.peek();
    if (kind != Kind.TRUE && kind != Kind.FALSE) {
      return false;
    }
    out.putByte((byte) (in.bool() ? 1 : 0));
    return true;
  }

  /** Reads a number, rounded to FP16; returns false for any other value, which is not consumed. */
  private static boolean half(JsonCursor in, TensorBuilder out) {
    if (in.peek() != Kind.NUMBER) {
      return false;
    }
    out.putShort(HalfFloats.toFp16(in.number().toDouble()));
    return true;
  }

  /** Reads a number, rounded to BF16; returns false for any other value, which is not consumed. */
  private static boolean brainFloat(JsonCursor in, TensorBuilder out) {
    if (in.peek() != Kind.NUMBER) {
      return false;
    }
    out.putShort(HalfFloats.toBf16(in.number().toDouble()));
    return true;
  }

  /** Reads a string as UTF-8; returns false for any other value, which is not consumed. */
  private static boolean text(JsonCursor in, TensorBuilder out) {
    if (in.peek() != Kind.STRING) {
      return false;
    }
    in.string().putInto(out);
    return true;
  }
}
