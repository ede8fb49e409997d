package dev.sluice.protocol.tfs.grpc.wire;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import com.google.protobuf.CodedOutputStream;
import java.lang.foreign.MemorySegment;

/** Writes fields into an array that was made large enough for all of them. */
public final class TfsWireWriter {
  private final byte[] bytes;
  private int at;

  public TfsWireWriter(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Returns the number of bytes that a varint takes. */
  static int varintSize(long value) {
    return CodedOutputStream.computeUInt64SizeNoTag(value);
  }

  /** Returns the number of bytes of a length and so much behind it. */
  public static long delimitedSize(long length) {
    return varintSize(length) + length;
  }

  public int position() {
    return at;
  }

  void varint(long value) {
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      bytes[at++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[at++] = (byte) rest;
  }

  void fixed32(int value) {
    for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
      bytes[at++] = (byte) (value >>> shift);
    }
  }

  /** Writes a tag and the length of what comes next. */
  public void open(int tag, long length) {
    varint(tag);
    varint(length);
  }

  public void bytes(byte[] source) {
    System.arraycopy(source, 0, bytes, at, source.length);
    at += source.length;
  }

  public void bytes(MemorySegment source, long from, int length) {
    MemorySegment.copy(source, JAVA_BYTE, from, bytes, at, length);
    at += length;
  }
}
