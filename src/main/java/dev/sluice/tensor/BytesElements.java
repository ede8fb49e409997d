package dev.sluice.tensor;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Walks the elements of a BYTES tensor in order, without copying them. Borrows the tensor; use it
 * on the thread that owns the tensor.
 *
 * <pre>{@code
 * var elements = new BytesElements(tensor);
 * while (elements.next()) {
 *   read(elements.data(), elements.offset(), elements.length());
 * }
 * }</pre>
 */
public final class BytesElements {
  /** The 32-bit length in front of each element, wherever it happens to lie. */
  public static final ValueLayout.OfInt LENGTH =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final MemorySegment data;
  private final long count;
  private long taken;
  private long offset;
  private int length;

  public BytesElements(Tensor tensor) {
    if (tensor.type() != DataType.BYTES) {
      throw new IllegalArgumentException("a " + tensor.type() + " tensor has no BYTES elements");
    }
    this.data = tensor.data();
    this.count = tensor.elementCount();
  }

  /** Steps to the next element; false after the last. */
  public boolean next() {
    if (taken == count) {
      return false;
    }
    long start = offset + length;
    length = data.get(LENGTH, start);
    offset = start + LENGTH.byteSize();
    taken++;
    return true;
  }

  /** Returns the memory that all elements lie in, without a copy. */
  public MemorySegment data() {
    return data;
  }

  /** Returns the offset of the current element's bytes in {@link #data}. */
  public long offset() {
    return offset;
  }

  /** Returns the length of the current element in bytes. */
  public int length() {
    return length;
  }

  /** Returns a copy of the current element. */
  public byte[] toArray() {
    return data.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
  }

  /**
   * Returns the current element as text; bytes that are not UTF-8 become the replacement character.
   */
  public String toText() {
    return new String(toArray(), StandardCharsets.UTF_8);
  }

  /**
   * Returns the current element as text.
   *
   * @throws CharacterCodingException if it is not UTF-8
   */
  public String toExactText() throws CharacterCodingException {
    return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(toArray())).toString();
  }
}
