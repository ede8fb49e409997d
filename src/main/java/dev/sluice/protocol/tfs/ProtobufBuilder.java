package dev.sluice.protocol.tfs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/** A protobuf message in the making, by field numbers. One thread. */
final class ProtobufBuilder {
  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int DELIMITED = 2;
  private static final int FIXED32 = 5;
  private static final int MORE = 0x80;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private void raw(long value) {
    long rest = value;
    while ((rest & -MORE) != 0) {
      out.write((int) rest | MORE);
      rest >>>= 7;
    }
    out.write((int) rest);
  }

  ProtobufBuilder number(int field, long value) {
    raw(((long) field << 3) | VARINT);
    raw(value);
    return this;
  }

  ProtobufBuilder fixed(int field, double value) {
    raw(((long) field << 3) | FIXED64);
    long bits = Double.doubleToLongBits(value);
    for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
      out.write((int) (bits >>> shift));
    }
    return this;
  }

  ProtobufBuilder fixed(int field, float value) {
    raw(((long) field << 3) | FIXED32);
    int bits = Float.floatToRawIntBits(value);
    for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
      out.write(bits >>> shift);
    }
    return this;
  }

  ProtobufBuilder text(int field, String value) {
    return bytes(field, value.getBytes(StandardCharsets.UTF_8));
  }

  ProtobufBuilder bytes(int field, byte[] value) {
    raw(((long) field << 3) | DELIMITED);
    raw(value.length);
    out.writeBytes(value);
    return this;
  }

  /** Copies the bytes. */
  ProtobufBuilder bytes(int field, MemorySegment value, long offset, int length) {
    byte[] copy = new byte[length];
    MemorySegment.copy(value, JAVA_BYTE, offset, copy, 0, length);
    return bytes(field, copy);
  }

  ProtobufBuilder message(int field, ProtobufBuilder message) {
    return bytes(field, message.toByteArray());
  }

  byte[] toByteArray() {
    return out.toByteArray();
  }
}
