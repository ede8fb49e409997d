package dev.sluice.protocol.tfs;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import dev.sluice.protocol.codec.HalfFloats;
import dev.sluice.tensor.TensorBuilder;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Copies the values of one feature's list to the end of a column. */
final class FeatureValues {
  private static final int DELIMITED = 1 << 3 | 2;
  private static final int FIXED32 = 1 << 3 | 5;
  private static final int VARINT = 1 << 3;
  private static final ValueLayout.OfInt FLOAT_BITS =
      JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** An integer that the column's type does not hold. */
  static final class OutOfRange extends RuntimeException {
    private final long value;

    OutOfRange(long value) {
      super(null, null, false, false);
      this.value = value;
    }

    long value() {
      return value;
    }
  }

  private final WireCursor in;
  private final MemorySegment data;
  private final TensorBuilder out;

  private FeatureValues(WireCursor in, MemorySegment data, TensorBuilder out) {
    this.in = in;
    this.data = data;
    this.out = out;
  }

  /**
   * Copies a list.
   *
   * @param in before the list's fields
   * @param data what it walks through
   * @throws OutOfRange if a value does not fit
   */
  static void read(FeatureKind kind, WireCursor in, MemorySegment data, TensorBuilder out) {
    var values = new FeatureValues(in, data, out);
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      if (!values.read(kind, tag)) {
        in.skip(tag);
      }
    }
  }

  private boolean read(FeatureKind kind, int tag) {
    return switch (kind) {
      case BYTES -> tag == DELIMITED && putText();
      case FLOAT -> tag == DELIMITED ? putFloats() : tag == FIXED32 && putFloat();
      case INT64 -> tag == DELIMITED ? putIntegers() : tag == VARINT && putInteger(in.varint());
    };
  }

  private boolean putText() {
    int length = in.length();
    out.putBytes(data, in.position(), length);
    in.pass(length);
    return true;
  }

  private boolean putFloats() {
    long outer = in.enter();
    while (in.position() < in.end()) {
      putFloat();
    }
    in.leave(outer);
    return true;
  }

  private boolean putFloat() {
    in.require(Float.BYTES);
    float value = Float.intBitsToFloat(data.get(FLOAT_BITS, in.position()));
    in.pass(Float.BYTES);
    switch (out.type()) {
      case FP32 -> out.putFloat(value);
      case FP64 -> out.putDouble(value);
      case FP16 -> out.putShort(HalfFloats.toFp16(value));
      case BF16 -> out.putShort(HalfFloats.toBf16(value));
      default -> throw new IllegalStateException(out.type() + " is no type of floats");
    }
    return true;
  }

  private boolean putIntegers() {
    long outer = in.enter();
    while (in.position() < in.end()) {
      putInteger(in.varint());
    }
    in.leave(outer);
    return true;
  }

  private boolean putInteger(long value) {
    switch (out.type()) {
      case BOOL -> out.putByte((byte) within(value, 0, 1));
      case INT8 -> out.putByte((byte) within(value, Byte.MIN_VALUE, Byte.MAX_VALUE));
      case UINT8 -> out.putByte((byte) within(value, 0, 0xFF));
      case INT16 -> out.putShort((short) within(value, Short.MIN_VALUE, Short.MAX_VALUE));
      case UINT16 -> out.putShort((short) within(value, 0, 0xFFFF));
      case INT32 -> out.putInt((int) within(value, Integer.MIN_VALUE, Integer.MAX_VALUE));
      case UINT32 -> out.putInt((int) within(value, 0, 0xFFFF_FFFFL));
      case INT64 -> out.putLong(value);
      case UINT64 -> out.putLong(within(value, 0, Long.MAX_VALUE));
      default -> throw new IllegalStateException(out.type() + " is no type of integers");
    }
    return true;
  }

  private static long within(long value, long lowest, long highest) {
    if (value < lowest || value > highest) {
      throw new OutOfRange(value);
    }
    return value;
  }
}
