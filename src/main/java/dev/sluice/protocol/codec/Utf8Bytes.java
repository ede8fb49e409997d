package dev.sluice.protocol.codec;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/** Tells UTF-8 from other bytes. */
public final class Utf8Bytes {
  private static final int PIECE = 4096;

  private Utf8Bytes() {}

  /** Returns where bytes are no UTF-8, counted from 0; negative if all of them are. */
  public static long invalidAt(MemorySegment bytes) {
    long ascii = 0;
    while (ascii < bytes.byteSize() && bytes.get(JAVA_BYTE, ascii) >= 0) {
      ascii++;
    }
    long invalid = ascii == bytes.byteSize() ? -1 : invalidAt(bytes.asSlice(ascii).asByteBuffer());
    return invalid < 0 ? invalid : ascii + invalid;
  }

  private static int invalidAt(ByteBuffer bytes) {
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    CharBuffer unused = CharBuffer.allocate(PIECE);
    CoderResult result;
    do {
      result = decoder.decode(bytes, unused.clear(), true);
    } while (result.isOverflow());
    return result.isError() ? bytes.position() : -1;
  }
}
