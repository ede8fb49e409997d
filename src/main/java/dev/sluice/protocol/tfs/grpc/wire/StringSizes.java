package dev.sluice.protocol.tfs.grpc.wire;

import dev.sluice.protocol.codec.protobuf.ProtobufReader;
import dev.sluice.tensor.BytesElements;
import dev.sluice.transport.Body;

/** Computes the memory that a tensor of strings will take. */
final class StringSizes {
  private static final long PREFIX = BytesElements.LENGTH.byteSize();

  private long count;
  private long bytes;
  private long last;

  /** Counts one string_val. */
  void add(int length) {
    count++;
    bytes += length;
    last = length;
  }

  /**
   * Memory for so many elements, of which the missing ones repeat the last.
   *
   * @throws ArithmeticException if that is more than 2^63-1
   */
  long byteSize(long elements) {
    long missing = Math.max(0, elements - count);
    long repeated = Math.multiplyExact(missing, last);
    return Math.addExact(Math.multiplyExact(elements, PREFIX), Math.addExact(bytes, repeated));
  }

  /** Memory for the strings in a tensor_content; -1 if it does not hold exactly so many. */
  static long ofContent(Body content, long elements) {
    if (elements > content.length()) {
      return -1;
    }
    var lengths = new ProtobufReader(content);
    long total = 0;
    for (long i = 0; i < elements; i++) {
      long length = lengths.atEnd() ? -1 : lengths.varint();
      if (length < 0 || length > content.length()) {
        return -1;
      }
      total += length;
    }
    return total == content.length() - lengths.position() ? total + elements * PREFIX : -1;
  }
}
