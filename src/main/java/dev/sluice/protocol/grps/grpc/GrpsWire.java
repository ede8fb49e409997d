package dev.sluice.protocol.grps.grpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnsafeByteOperations;
import com.google.protobuf.WireFormat;
import dev.sluice.transport.Body;
import java.io.IOException;

/** Reads what all messages of grps have in common on the wire. */
final class GrpsWire {
  private GrpsWire() {}

  static CodedInputStream open(Body body) {
    return CodedInputStream.newInstance(body.bytes(), body.offset(), body.length());
  }

  /** Returns the tag of a field that is text, bytes, a message or a packed list. */
  static int lengthDelimited(int field) {
    return (field << 3) | WireFormat.WIRETYPE_LENGTH_DELIMITED;
  }

  /** Returns the tag of a field that is a number of variable length. */
  static int varint(int field) {
    return (field << 3) | WireFormat.WIRETYPE_VARINT;
  }

  /** Passes over a length-delimited value and gives its bytes. No copy. */
  static Body slice(CodedInputStream in, Body of) throws IOException {
    int length = in.readRawVarint32();
    if (length < 0) {
      throw new InvalidProtocolBufferException("a field has a negative length");
    }
    int from = in.getTotalBytesRead();
    in.skipRawBytes(length);
    return of.slice(from, length);
  }

  /** Requires what protobuf requires of every string. */
  static void requireUtf8(Body text) throws IOException {
    ByteString bytes = UnsafeByteOperations.unsafeWrap(text.bytes(), text.offset(), text.length());
    if (!bytes.isValidUtf8()) {
      throw new InvalidProtocolBufferException("a string is not UTF-8");
    }
  }
}
