package dev.sluice.transport;

import io.vertx.core.buffer.Buffer;
import java.util.Arrays;

/**
 * Joins the pieces of a body in one array that grows as they arrive: never from what the sender
 * announces alone, since announcing costs it nothing.
 */
public final class ByteCollector {
  /** Bytes that are set aside for an announced length before any has arrived. */
  private static final int TRUSTED_LENGTH = 64 * 1024;

  private byte[] bytes = new byte[0];
  private int size;
  private long expected;

  /** Says how many bytes the sender announced; negative if it did not. */
  public void expect(long length) {
    expected = length;
  }

  public int size() {
    return size;
  }

  /** Adds a piece. Its bytes are copied. */
  public void add(Buffer piece) {
    int length = piece.length();
    if (size + length > bytes.length) {
      bytes = Arrays.copyOf(bytes, capacity(size + length));
    }
    piece.getBytes(bytes, size);
    size += length;
  }

  private int capacity(int needed) {
    int doubled = (int) Math.min(Integer.MAX_VALUE - 8L, Math.max(needed, bytes.length * 2L));
    if (expected < needed) {
      return doubled;
    }
    if (expected <= TRUSTED_LENGTH) {
      return (int) expected;
    }
    return (int) Math.min(expected, Math.max(doubled, TRUSTED_LENGTH));
  }

  /** Forgets everything. */
  public void clear() {
    bytes = new byte[0];
    size = 0;
  }

  /** What was collected, without another copy. The collector is not to be used any more. */
  public Body toBody() {
    return new Body(bytes, 0, size);
  }
}
