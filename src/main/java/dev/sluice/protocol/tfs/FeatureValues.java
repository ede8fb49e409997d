package dev.sluice.protocol.tfs;

import static dev.sluice.protocol.codec.protobuf.ProtobufTag.DELIMITED;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.FIXED32;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.VARINT;

import dev.sluice.protocol.codec.HalfFloats;
import dev.sluice.protocol.codec.protobuf.ProtobufReader;
import dev.sluice.protocol.tfs.grpc.proto.FloatList;
import dev.sluice.protocol.tfs.grpc.proto.Int64List;
import dev.sluice.tensor.TensorBuilder;
import java.lang.foreign.MemorySegment;

/** Copies the values of one feature's list to the end of a column. */
final class FeatureValues {
  private static final int LIST = FloatList.VALUE_FIELD_NUMBER << 3 | DELIMITED;
  private static final int FLOAT = FloatList.VALUE_FIELD_NUMBER << 3 | FIXED32;
  private static final int INTEGER = Int64List.VALUE_FIELD_NUMBER << 3 | VARINT;

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

  private final ProtobufReader in;
  private final MemorySegment data;
  private final TensorBuilder out;

  private FeatureValues(ProtobufReader in, MemorySegment data, TensorBuilder out) {
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
  static void read(FeatureKind kind, ProtobufReader in, MemorySegment data, TensorBuilder out) {
    var values = new FeatureValues(in, data, out);
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      if (!values.read(kind, tag)) {
        in.skip(tag);
      }
    }
  }

  private boolean read(FeatureKind kind, int tag) {
    return switch (kind) {
      case BYTES -> tag == LIST && putText();
      case FLOAT -> tag == LIST ? putFloats() : tag == FLOAT && putFloat();
      case INT64 -> tag == LIST ? putIntegers() : tag == INTEGER && putInteger(in.varint());
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
    while (!in.atEnd()) {
      putFloat();
    }
    in.leave(outer);
    return true;
  }

  private boolean putFloat() {
    float value = Float.intBitsToFloat(in.fixed32());
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
    while (!in.atEnd()) {
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
