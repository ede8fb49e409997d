package dev.sluice.transport;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.InputStream;
import java.lang.foreign.MemorySegment;

/**
 * Reads a body in native memory a little at a time, and skips unread bytes without touching it.
 * Borrows the body.
 */
final class BodyStream extends InputStream {
  private final MemorySegment bytes;
  private long at;

  BodyStream(MemorySegment bytes) {
    this.bytes = bytes;
  }

  @Override
  public int read() {
    return at == bytes.byteSize() ? -1 : bytes.get(JAVA_BYTE, at++) & 0xFF;
  }

  @Override
  public int read(byte[] into, int from, int most) {
    int count = (int) Math.min(most, bytes.byteSize() - at);
    if (count == 0) {
      return most == 0 ? 0 : -1;
    }
    MemorySegment.copy(bytes, JAVA_BYTE, at, into, from, count);
    at += count;
    return count;
  }

  @Override
  public long skip(long most) {
    long count = Math.clamp(most, 0, bytes.byteSize() - at);
    at += count;
    return count;
  }
}
