package dev.sluice.protocol.grps.grpc;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.sluice.tensor.MemoryAccount;
import dev.sluice.tensor.MemoryBudget.Kind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Writes protobuf into one array of exactly the right size. Lengths come before contents on the
 * wire, so the caller has computed all sizes before.
 */
final class GrpsWireWriter {
  private static final ValueLayout.OfInt FIXED32 =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final byte[] bytes;
  private final MemorySegment segment;
  private int at;

  GrpsWireWriter(int size) {
    MemoryAccount.chargeCurrent(Kind.ANSWER, size);
    this.bytes = new byte[size];
    this.segment = MemorySegment.ofArray(bytes);
  }

  /** Returns the written bytes, if they filled the array. */
  byte[] toArray() {
    if (at != bytes.length) {
      throw new IllegalStateException("wrote " + at + " bytes of " + bytes.length);
    }
    return bytes;
  }

  void varint(long value) {
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      bytes[at++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[at++] = (byte) rest;
  }

  /** Begins a field of known length; its contents follow. */
  void begin(int field, int length) {
    varint(GrpsWire.lengthDelimited(field));
    varint(length);
  }

  void varintField(int field, long value) {
    varint(GrpsWire.varint(field));
    varint(value);
  }

  void fixed32(float value) {
    segment.set(FIXED32, at, Float.floatToRawIntBits(value));
    at += Float.BYTES;
  }

  void raw(byte[] source) {
    System.arraycopy(source, 0, bytes, at, source.length);
    at += source.length;
  }

  void raw(MemorySegment source, long from, int length) {
    MemorySegment.copy(source, JAVA_BYTE, from, bytes, at, length);
    at += length;
  }
}
