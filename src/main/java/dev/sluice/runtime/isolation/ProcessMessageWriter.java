package dev.sluice.runtime.isolation;

import dev.sluice.tensor.Shape;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** One message in the making, behind four bytes that say how long it is. One thread. */
final class ProcessMessageWriter {
  private static final int HEAD = Integer.BYTES;

  private byte[] bytes = new byte[512];
  private int size;

  /** Begins a message in place of the one before. */
  ProcessMessageWriter begin(byte kind) {
    size = HEAD;
    return putByte(kind);
  }

  ProcessMessageWriter putByte(int value) {
    reserve(1);
    bytes[size++] = (byte) value;
    return this;
  }

  ProcessMessageWriter putFlag(boolean value) {
    return putByte(value ? 1 : 0);
  }

  ProcessMessageWriter putInt(int value) {
    reserve(Integer.BYTES);
    for (int shift = Integer.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
      bytes[size++] = (byte) (value >> shift);
    }
    return this;
  }

  ProcessMessageWriter putLong(long value) {
    return putInt((int) (value >> Integer.SIZE)).putInt((int) value);
  }

  ProcessMessageWriter putText(String text) {
    return putBytes(text.getBytes(StandardCharsets.UTF_8));
  }

  ProcessMessageWriter putBytes(byte[] content) {
    putInt(content.length);
    reserve(content.length);
    System.arraycopy(content, 0, bytes, size, content.length);
    size += content.length;
    return this;
  }

  /** Returns a shape, its number of dimensions -1 where that is open. */
  ProcessMessageWriter putShape(Shape shape) {
    if (!shape.isRankKnown()) {
      return putInt(-1);
    }
    putInt(shape.rank());
    for (int i = 0; i < shape.rank(); i++) {
      putLong(shape.dim(i));
    }
    return this;
  }

  private void reserve(int more) {
    if (size + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + more));
    }
  }

  /** Sends the message in one piece. */
  void send(OutputStream out) throws IOException {
    int end = size;
    size = 0;
    putInt(end - HEAD);
    size = end;
    out.write(bytes, 0, size);
    out.flush();
  }
}
