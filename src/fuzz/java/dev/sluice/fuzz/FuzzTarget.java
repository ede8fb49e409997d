package dev.sluice.fuzz;

/**
 * A decoder that is given any bytes, and what must hold whatever they are. Its name is that of its
 * class without {@code Fuzz}; its kept inputs lie in {@code src/fuzz/corpus/NAME}. Made once and
 * used for one input after the other, on one thread.
 */
public interface FuzzTarget {
  /**
   * Decodes an input. What the decoder declares for bad input is caught here, and nothing else: any
   * other failure is a finding, and so is an {@link AssertionError}.
   */
  void accept(byte[] input) throws Exception;

  /**
   * Returns the bytes that decoding may allocate on the heap whatever the input is: buffers, a
   * parser.
   */
  default long freeBytes() {
    return 16L << 20;
  }

  /**
   * Returns the bytes that decoding may allocate on the heap for each byte of the input, beyond
   * {@link #freeBytes}.
   */
  default long bytesPerByte() {
    return 512;
  }
}
