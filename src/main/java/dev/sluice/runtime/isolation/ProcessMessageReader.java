package dev.sluice.runtime.isolation;

import dev.sluice.tensor.Shape;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The last message that was received. One thread at a time.
 *
 * <p>A message that is shorter than its fields fails with {@link BufferUnderflowException}.
 */
final class ProcessMessageReader {
  private static final int LARGEST = 256 << 20;

  private ByteBuffer message = ByteBuffer.allocate(0);

  /**
   * Waits for a message, in place of the one before.
   *
   * @return its kind
   * @throws EOFException if the other side has closed, or is not there any more
   */
  byte receive(InputStream in) throws IOException {
    byte[] head = in.readNBytes(Integer.BYTES);
    if (head.length < Integer.BYTES) {
      throw new EOFException("the other process is not there any more");
    }
    int size = ByteBuffer.wrap(head).getInt();
    if (size < 1 || size > LARGEST) {
      throw new IOException("a message cannot have " + size + " bytes");
    }
    byte[] body = in.readNBytes(size);
    if (body.length < size) {
      throw new EOFException("the other process is not there any more");
    }
    message = ByteBuffer.wrap(body);
    return message.get();
  }

  boolean flag() {
    return message.get() != 0;
  }

  int integer() {
    return message.getInt();
  }

  long number() {
    return message.getLong();
  }

  String text() {
    return new String(bytes(), StandardCharsets.UTF_8);
  }

  byte[] bytes() {
    int size = message.getInt();
    if (size < 0 || size > message.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] content = new byte[size];
    message.get(content);
    return content;
  }

  Shape shape() {
    int rank = message.getInt();
    if (rank < 0) {
      return Shape.UNKNOWN;
    }
    if (rank > message.remaining() / Long.BYTES) {
      throw new BufferUnderflowException();
    }
    long[] dims = new long[rank];
    for (int i = 0; i < rank; i++) {
      dims[i] = message.getLong();
    }
    return Shape.of(dims);
  }
}
