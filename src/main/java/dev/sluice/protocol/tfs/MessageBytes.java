package dev.sluice.protocol.tfs;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** A protobuf message in the making, by field numbers. One thread. */
final class MessageBytes {
  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int DELIMITED = 2;
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

  MessageBytes number(int field, long value) {
    raw(((long) field << 3) | VARINT);
    raw(value);
    return this;
  }

  MessageBytes fixed(int field, double value) {
    raw(((long) field << 3) | FIXED64);
    long bits = Double.doubleToLongBits(value);
    for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
      out.write((int) (bits >>> shift));
    }
    return this;
  }

  MessageBytes text(int field, String value) {
    return bytes(field, value.getBytes(StandardCharsets.UTF_8));
  }

  MessageBytes bytes(int field, byte[] value) {
    raw(((long) field << 3) | DELIMITED);
    raw(value.length);
    out.writeBytes(value);
    return this;
  }

  MessageBytes message(int field, MessageBytes message) {
    return bytes(field, message.toByteArray());
  }

  byte[] toByteArray() {
    return out.toByteArray();
  }
}
