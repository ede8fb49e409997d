package dev.sluice.protocol.codec.protobuf;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.sluice.transport.Body;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads the fields of protobuf messages where they lie: in an array or in native memory. What a
 * field holds is given as a part of the same bytes, never as a copy, and a message in it is read by
 * {@link #enter entering} it or by another reader, so that depth costs nothing. Borrows the memory.
 *
 * <p>Zero-copy. Every length is checked against the innermost message that was entered; whatever is
 * not protobuf is a {@link ProtobufException}.
 */
public final class ProtobufReader {
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt FIXED32 =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong FIXED64 =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** Groups within each other that are read over: as many as protobuf's own readers follow. */
  private static final int MOST_GROUPS = 100;

  private static final char REPLACEMENT = '\uFFFD';

  private final Body message;

  /** The array that the message lies in; null if it lies in native memory. */
  private final byte @Nullable [] array;

  private final MemorySegment data;
  private final int start;
  private long at;
  private long end;

  /** Reads a message that arrived. */
  public ProtobufReader(Body message) {
    boolean heap = message.block() == null;
    this.message = message;
    this.array = heap ? message.bytes() : null;
    this.data = heap ? MemorySegment.NULL : message.segment();
    this.start = heap ? message.offset() : 0;
    this.at = start;
    this.end = (long) start + message.length();
  }

  /** Reads messages in native memory: all of it is one, until the reader {@link #seek seeks}. */
  public ProtobufReader(MemorySegment data) {
    this.message = Body.EMPTY;
    this.array = null;
    this.data = data;
    this.start = 0;
    this.end = data.byteSize();
  }

  /** Goes to a message that lies within these offsets of the memory. */
  public void seek(long from, long to) {
    at = from;
    end = to;
  }

  /** Returns the offset of what is read next, from the beginning of the body or memory. */
  public long position() {
    return at - start;
  }

  /** Returns the offset of the end of the innermost message that was entered. */
  public long end() {
    return end - start;
  }

  /** Returns whether the innermost message that was entered was read to its end. */
  public boolean atEnd() {
    return at == end;
  }

  /** Returns the next field's tag; 0 at the end of the message. */
  public int tag() {
    if (at == end) {
      return 0;
    }
    int tag = varint32();
    if (ProtobufTag.field(tag) == 0) {
      throw new ProtobufException("a field has the number 0");
    }
    return tag;
  }

  /** Returns a number of 32 bits, the lower ones of what was sent: protobuf cuts off the rest. */
  public int varint32() {
    return (int) varint();
  }

  /** Returns a number of up to 64 bits. */
  public long varint() {
    if (array != null && at < end) {
      byte first = array[(int) at];
      if (first >= 0) {
        at++;
        return first;
      }
    }
    return longVarint();
  }

  private long longVarint() {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      byte next = next();
      value |= (next & 0x7FL) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new ProtobufException("a number has more than 64 bits");
  }

  private byte next() {
    if (at == end) {
      throw beyondEnd();
    }
    return array != null ? array[(int) at++] : data.get(JAVA_BYTE, at++);
  }

  /** Returns the bits of a number of four bytes. */
  public int fixed32() {
    pass(Integer.BYTES);
    long from = at - Integer.BYTES;
    return array == null ? data.get(FIXED32, from) : (int) INTS.get(array, (int) from);
  }

  /** Returns the bits of a number of eight bytes. */
  public long fixed64() {
    pass(Long.BYTES);
    long from = at - Long.BYTES;
    return array == null ? data.get(FIXED64, from) : (long) LONGS.get(array, (int) from);
  }

  /** Returns the length of a delimited field, all of which is there: its bytes come next. */
  public int length() {
    long length = Integer.toUnsignedLong(varint32());
    if (length > end - at) {
      throw new ProtobufException(
          "a field of " + length + " bytes goes beyond the end, " + (end - at) + " bytes are left");
    }
    return (int) length;
  }

  /** Passes over bytes. */
  public void pass(long bytes) {
    if (bytes > end - at) {
      throw beyondEnd();
    }
    at += bytes;
  }

  private ProtobufException beyondEnd() {
    return new ProtobufException("a field goes beyond the end");
  }

  /** Returns the bytes of a delimited field: a part of the body. */
  public Body bytes() {
    int length = length();
    Body part = message.slice((int) position(), length);
    at += length;
    return part;
  }

  /** Returns a text field; bytes that are not UTF-8 are refused, as proto3 has it. */
  public String text() {
    int length = length();
    String text =
        array != null
            ? new String(array, (int) at, length, StandardCharsets.UTF_8)
            : new String(data.asSlice(at, length).toArray(JAVA_BYTE), StandardCharsets.UTF_8);
    // What is not UTF-8 was replaced, but the replacement may also have been sent.
    if (text.indexOf(REPLACEMENT) >= 0) {
      requireUtf8(at, length);
    }
    at += length;
    return text;
  }

  private void requireUtf8(long from, int length) {
    ByteBuffer bytes =
        array != null
            ? ByteBuffer.wrap(array, (int) from, length)
            : data.asSlice(from, length).asByteBuffer();
    try {
      StandardCharsets.UTF_8.newDecoder().decode(bytes);
    } catch (CharacterCodingException e) {
      throw new ProtobufException("a text is not UTF-8");
    }
  }

  /**
   * Steps into the message or the packed list of a delimited field.
   *
   * @return the end of the message around it, for {@link #leave}
   */
  public long enter() {
    int length = length();
    long outer = end;
    end = at + length;
    return outer;
  }

  /** Steps behind the message that was entered last. */
  public void leave(long outer) {
    at = end;
    end = outer;
  }

  /** Skips the value of a field. */
  public void skip(int tag) {
    skip(tag, 0);
  }

  private void skip(int tag, int groups) {
    switch (ProtobufTag.form(tag)) {
      case ProtobufTag.VARINT -> varint();
      case ProtobufTag.FIXED64 -> pass(Long.BYTES);
      case ProtobufTag.DELIMITED -> pass(length());
      case ProtobufTag.FIXED32 -> pass(Integer.BYTES);
      case ProtobufTag.GROUP -> skipGroup(ProtobufTag.field(tag), groups + 1);
      case ProtobufTag.GROUP_END -> throw new ProtobufException("a group ends that has not begun");
      default -> throw new ProtobufException("a field has the form " + ProtobufTag.form(tag));
    }
  }

  private void skipGroup(int field, int groups) {
    if (groups > MOST_GROUPS) {
      throw new ProtobufException("more than " + MOST_GROUPS + " groups are within each other");
    }
    int last = field << 3 | ProtobufTag.GROUP_END;
    for (int tag = tag(); tag != last; tag = tag()) {
      if (tag == 0) {
        throw beyondEnd();
      }
      skip(tag, groups);
    }
  }
}
