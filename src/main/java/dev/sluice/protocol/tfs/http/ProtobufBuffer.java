package dev.sluice.protocol.tfs.http;

import java.util.Arrays;

/** Protobuf fields in one growing array, which is used again and again. */
final class ProtobufBuffer {
  private byte[] bytes = new byte[256];
  private int size;

  /** Returns the number of bytes that a varint takes. */
  static int varintSize(long value) {
    int size = 1;
    for (long rest = value >>> 7; rest != 0; rest >>>= 7) {
      size++;
    }
    return size;
  }

  /** Forgets all but so many bytes at the beginning, which are there from now on. */
  void reset(int kept) {
    size = kept;
    claim(0);
  }

  byte[] bytes() {
    return bytes;
  }

  int size() {
    return size;
  }

  void varint(long value) {
    claim(10);
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      bytes[size++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[size++] = (byte) rest;
  }

  /** Writes a tag and the length of what comes next. */
  void open(int tag, int length) {
    varint(tag);
    varint(length);
  }

  void fixed32(int value) {
    claim(Integer.BYTES);
    for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
      bytes[size++] = (byte) (value >>> shift);
    }
  }

  void bytes(byte[] source, int from, int length) {
    claim(length);
    System.arraycopy(source, from, bytes, size, length);
    size += length;
  }

  private void claim(int more) {
    if (size + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + more));
    }
  }
}
