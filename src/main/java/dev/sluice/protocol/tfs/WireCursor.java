package dev.sluice.protocol.tfs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.sluice.inference.InferenceException;
import java.lang.foreign.MemorySegment;

/**
 * Walks the fields of a protobuf message in memory, and those of messages in it, without copying or
 * allocating anything. What goes beyond the end of the message around it is refused.
 */
final class WireCursor {
  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int DELIMITED = 2;
  private static final int FIXED32 = 5;
  private static final int MOST_VARINT_BITS = 63;

  private final MemorySegment data;
  private long at;
  private long end;

  WireCursor(MemorySegment data) {
    this.data = data;
  }

  /** Goes to a message. */
  void seek(long from, long to) {
    at = from;
    end = to;
  }

  long position() {
    return at;
  }

  /** Returns the end of the innermost message that was entered. */
  long end() {
    return end;
  }

  /** Returns the next field's tag; 0 at the end of the message. */
  int tag() {
    if (at == end) {
      return 0;
    }
    long tag = varint();
    if (tag != (int) tag || tag >>> 3 == 0) {
      throw malformed("a tag is " + tag);
    }
    return (int) tag;
  }

  long varint() {
    long value = 0;
    for (int shift = 0; shift <= MOST_VARINT_BITS; shift += 7) {
      require(1);
      byte next = data.get(JAVA_BYTE, at++);
      value |= (next & 0x7FL) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw malformed("a number has more than 64 bits");
  }

  /** Returns the length of a delimited field, all of which is there. */
  int length() {
    long length = varint();
    require(length);
    return Math.toIntExact(length);
  }

  /** Passes bytes that are there. */
  void pass(long bytes) {
    at += bytes;
  }

  /**
   * Steps into the message of a delimited field.
   *
   * @return where the message around it ends, for {@link #leave}
   */
  long enter() {
    int length = length();
    long outer = end;
    end = at + length;
    return outer;
  }

  /** Steps behind the message that was entered last. */
  void leave(long outer) {
    at = end;
    end = outer;
  }

  /** Skips a field. */
  void skip(int tag) {
    switch (tag & 7) {
      case VARINT -> varint();
      case FIXED64 -> skipBytes(Long.BYTES);
      case DELIMITED -> pass(length());
      case FIXED32 -> skipBytes(Integer.BYTES);
      default -> throw malformed("a field has the tag " + tag);
    }
  }

  private void skipBytes(int bytes) {
    require(bytes);
    at += bytes;
  }

  /** Requires that so many more bytes are there. */
  void require(long bytes) {
    if (bytes < 0 || bytes > end - at) {
      throw malformed("a field goes beyond the end");
    }
  }

  static InferenceException malformed(String why) {
    return InferenceException.invalid("Could not parse example input: " + why);
  }
}
