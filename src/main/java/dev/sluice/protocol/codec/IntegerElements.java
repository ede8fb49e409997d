package dev.sluice.protocol.codec;

import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.TensorBuilder;

/**
 * Elements that are integers of one type, signed or not.
 *
 * @param lowest the type's lowest value
 * @param highest its highest, as unsigned bits if it is UINT64
 * @param wholeFloats whether {@code 2.0} is an integer too
 */
record IntegerElements(DataType type, long lowest, long highest, boolean wholeFloats)
    implements JsonElements {
  static IntegerElements of(DataType type, boolean wholeFloats) {
    int bits = type.byteSize() * Byte.SIZE;
    return isUnsigned(type)
        ? new IntegerElements(type, 0, -1L >>> (Long.SIZE - bits), wholeFloats)
        : new IntegerElements(type, -1L << (bits - 1), ~(-1L << (bits - 1)), wholeFloats);
  }

  private static boolean isUnsigned(DataType type) {
    return switch (type) {
      case UINT8, UINT16, UINT32, UINT64 -> true;
      default -> false;
    };
  }

  @Override
  public boolean read(JsonCursor in, TensorBuilder out) {
    if (in.peek() != Kind.NUMBER) {
      return false;
    }
    int before = in.position();
    JsonNumber number = in.number();
    if (wholeFloats) {
      number.dropFraction();
    }
    if (!holds(number)) {
      in.seek(before);
      return false;
    }
    put(type == DataType.UINT64 ? number.toUnsignedLong() : number.toLong(), out);
    return true;
  }

  @Override
  public long readRun(JsonCursor in, TensorBuilder out, long most) {
    // What is written plainly has few digits enough for a signed number.
    long plainHighest = type == DataType.UINT64 ? Long.MAX_VALUE : highest;
    long count = 0;
    int read = FastNumberParser.RUN;
    while (read == FastNumberParser.RUN && count < most) {
      read = in.plainIntegers(most - count, count > 0, lowest, plainHighest);
      out.putIntegers(in.plainIntegerValues(), read, type.byteSize());
      count += read;
    }
    return count;
  }

  private boolean holds(JsonNumber number) {
    return type == DataType.UINT64
        ? number.isUnsignedLong()
        : number.isLong() && number.toLong() >= lowest && number.toLong() <= highest;
  }

  private void put(long value, TensorBuilder out) {
    switch (type.byteSize()) {
      case 1 -> out.putByte((byte) value);
      case 2 -> out.putShort((short) value);
      case 4 -> out.putInt((int) value);
      default -> out.putLong(value);
    }
  }
}
