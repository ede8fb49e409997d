package dev.sluice.protocol.tfs.grpc.wire;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.sluice.transport.Body;
import java.io.IOException;

/**
 * Reads the fields of one message. What a field holds is given as a part of the message's bytes,
 * not as a copy; a message in it is read by another reader, so that depth costs nothing.
 */
public final class WireReader {
  /** Bytes of a message in native memory that are looked at together: more than its heads have. */
  private static final int HEADS = 512;

  private final Body message;
  private final CodedInputStream in;

  public WireReader(Body message) {
    this.message = message;
    this.in =
        message.block() == null
            ? CodedInputStream.newInstance(message.bytes(), message.offset(), message.length())
            : CodedInputStream.newInstance(message.stream(), HEADS);
  }

  /** Returns the next field's tag; 0 at the end. */
  public int tag() throws IOException {
    return in.readTag();
  }

  /** Skips a field. */
  public void skip(int tag) throws IOException {
    if (!in.skipField(tag)) {
      throw new InvalidProtocolBufferException("a group ends that never began");
    }
  }

  boolean atEnd() {
    return position() == message.length();
  }

  /** Returns how much of the message has been read. */
  int position() {
    return in.getTotalBytesRead();
  }

  /** Returns the bytes of a length-delimited field. */
  public Body bytes() throws IOException {
    int length = in.readRawVarint32();
    int start = position();
    if (length < 0 || length > message.length() - start) {
      throw new InvalidProtocolBufferException(
          "a field of " + Integer.toUnsignedString(length) + " bytes goes beyond the end");
    }
    in.skipRawBytes(length);
    return message.slice(start, length);
  }

  /** Returns a text field; bytes that are not UTF-8 are refused, as proto3 has it. */
  public String text() throws IOException {
    return in.readStringRequireUtf8();
  }

  /** Returns a varint of up to 64 bits. */
  long varint() throws IOException {
    return in.readRawVarint64();
  }

  int fixed32() throws IOException {
    return in.readRawLittleEndian32();
  }

  long fixed64() throws IOException {
    return in.readRawLittleEndian64();
  }
}
