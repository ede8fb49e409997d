package dev.sluice.protocol.codec.protobuf;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.sluice.tensor.MemoryAccount;
import dev.sluice.tensor.MemoryBudget.Kind;
import dev.sluice.transport.Buffers;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes protobuf fields one after the other into an array. Lengths come before contents on the
 * wire: a hot path adds up all sizes first, so that the array is as large as the message and
 * nothing moves; where a message is small or rare, nested ones are written by writers of their own
 * and the array grows. One thread.
 */
public final class ProtobufWriter {
  private static final int MOST_VARINT = 10;
  private static final int FIRST_SIZE = 256;

  private byte[] bytes;
  private int at;

  /** Writes fields of unknown size. */
  public ProtobufWriter() {
    this.bytes = new byte[FIRST_SIZE];
  }

  /** Writes an answer of so many bytes, which are charged to its request. */
  public ProtobufWriter(int size) {
    MemoryAccount.chargeCurrent(Kind.ANSWER, size);
    this.bytes = new byte[size];
  }

  /** Returns the number of bytes of a varint. */
  public static int varintSize(long value) {
    return (70 - Long.numberOfLeadingZeros(value | 1)) / 7;
  }

  /** Returns the number of bytes of a number's field. */
  public static int numberSize(int field, long value) {
    return varintSize((long) field << 3) + varintSize(value);
  }

  /** Returns the number of bytes of a delimited field, its tag and length included. */
  public static long fieldSize(int field, long length) {
    return varintSize((long) field << 3) + varintSize(length) + length;
  }

  /** Writes a bare varint, as a packed list has them. */
  public void varint(long value) {
    if ((value & ~0x7FL) == 0 && at < bytes.length) {
      bytes[at++] = (byte) value;
    } else {
      longVarint(value);
    }
  }

  private void longVarint(long value) {
    if (bytes.length - at < MOST_VARINT) {
      claim(varintSize(value));
    }
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      bytes[at++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[at++] = (byte) rest;
  }

  /** Begins a delimited field; so many bytes are to follow. */
  public void begin(int field, long length) {
    varint(ProtobufTag.delimited(field));
    varint(length);
  }

  /** Writes an integer, a boolean or an enum. */
  public ProtobufWriter number(int field, long value) {
    varint((long) field << 3 | ProtobufTag.VARINT);
    varint(value);
    return this;
  }

  /** Writes a float. */
  public ProtobufWriter fixed(int field, float value) {
    varint((long) field << 3 | ProtobufTag.FIXED32);
    fixed32(value);
    return this;
  }

  /** Writes a double. */
  public ProtobufWriter fixed(int field, double value) {
    varint((long) field << 3 | ProtobufTag.FIXED64);
    littleEndian(Double.doubleToRawLongBits(value), Double.BYTES);
    return this;
  }

  /** Writes a bare float, as a packed list has them. */
  public void fixed32(float value) {
    littleEndian(Float.floatToRawIntBits(value), Float.BYTES);
  }

  private void littleEndian(long bits, int size) {
    claim(size);
    for (int i = 0; i < size; i++) {
      bytes[at++] = (byte) (bits >>> (Byte.SIZE * i));
    }
  }

  /** Writes a text. */
  public ProtobufWriter text(int field, String value) {
    return bytes(field, value.getBytes(StandardCharsets.UTF_8));
  }

  /** Writes a field of bytes, which are copied. */
  public ProtobufWriter bytes(int field, byte[] value) {
    begin(field, value.length);
    raw(value, 0, value.length);
    return this;
  }

  /** Writes a field of bytes, which are copied. */
  public ProtobufWriter bytes(int field, MemorySegment source, long from, int length) {
    begin(field, length);
    raw(source, from, length);
    return this;
  }

  /** Writes a message, which is copied. */
  public ProtobufWriter message(int field, ProtobufWriter message) {
    begin(field, message.at);
    raw(message.bytes, 0, message.at);
    return this;
  }

  /** Writes fields, or the contents of one, as they are. */
  public void raw(byte[] source) {
    raw(source, 0, source.length);
  }

  /** Writes fields, or the contents of one, as they are. */
  public void raw(byte[] source, int from, int length) {
    claim(length);
    System.arraycopy(source, from, bytes, at, length);
    at += length;
  }

  /** Writes fields, or the contents of one, as they are. */
  public void raw(MemorySegment source, long from, int length) {
    claim(length);
    MemorySegment.copy(source, JAVA_BYTE, from, bytes, at, length);
    at += length;
  }

  private void claim(int more) {
    if (more > bytes.length - at) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, Math.addExact(at, more)));
    }
  }

  /** Goes back or forward to an offset; the bytes before it are kept. */
  public void seek(int offset) {
    claim(offset - at);
    at = offset;
  }

  /** Returns the array that is written to: its first {@link #size} bytes are the fields. */
  public byte[] array() {
    return bytes;
  }

  /** Returns the number of bytes that were written. */
  public int size() {
    return at;
  }

  /** Returns a copy of the fields. */
  public byte[] toByteArray() {
    return Arrays.copyOf(bytes, at);
  }

  /** Returns the fields without a copy: nothing may be written any more. */
  public Buffer toBuffer() {
    return Buffers.wrap(bytes, 0, at);
  }
}
