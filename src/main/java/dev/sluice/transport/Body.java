package dev.sluice.transport;

/**
 * The bytes of a request's body or message: a range of an array, which is not to be changed. Lives
 * on the heap; nothing needs to be freed.
 *
 * @param bytes the array
 * @param offset where the range begins
 * @param length how many bytes it has
 */
@SuppressWarnings(
    "ArrayRecordComponent") // Bodies are never compared, and a copy is what this avoids.
public record Body(byte[] bytes, int offset, int length) {
  public static final Body EMPTY = new Body(new byte[0], 0, 0);

  public static Body of(byte[] bytes) {
    return new Body(bytes, 0, bytes.length);
  }

  /** Where the range ends. */
  public int end() {
    return offset + length;
  }

  /** A part of this body. */
  public Body slice(int from, int size) {
    return new Body(bytes, offset + from, size);
  }
}
