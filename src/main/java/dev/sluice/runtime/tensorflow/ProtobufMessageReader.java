package dev.sluice.runtime.tensorflow;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads protobuf messages field by field, by number. */
final class ProtobufMessageReader {
  /** A message that is read field by field. */
  interface Message {
    /** Reads the field's value, or returns false to have it skipped. */
    boolean read(int field, CodedInputStream in) throws IOException;
  }

  /** Reader of a map's entry. */
  interface Entry {
    /** Reads one entry of a map field: the value is positioned behind its tag. */
    void read(String key, CodedInputStream value) throws IOException;
  }

  /** Reader of a message in a field. */
  interface Nested {
    /** Reads a nested message up to its limit. */
    void read(CodedInputStream in) throws IOException;
  }

  private ProtobufMessageReader() {}

  /** Reads up to the end of the message. */
  static void readMessage(CodedInputStream in, Message message) throws IOException {
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (!message.read(WireFormat.getTagFieldNumber(tag), in)) {
        in.skipField(tag);
      }
    }
  }

  /** Reads the message in a field. */
  static void readNested(CodedInputStream in, Nested nested) throws IOException {
    int limit = in.pushLimit(in.readRawVarint32());
    nested.read(in);
    in.checkLastTagWas(0);
    in.popLimit(limit);
  }

  /** Reads a map's entry, whose key every writer puts before the value. Returns true. */
  static boolean readEntry(CodedInputStream in, Entry entry) throws IOException {
    var key = new String[] {""};
    readNested(
        in,
        nested ->
            readMessage(
                nested,
                (field, fields) -> {
                  switch (field) {
                    case 1 -> key[0] = fields.readString();
                    case 2 -> readNested(fields, value -> entry.read(key[0], value));
                    default -> {
                      return false;
                    }
                  }
                  return true;
                }));
    return true;
  }

  /** Returns a copy of what is left of the message. */
  static ByteBuffer rest(CodedInputStream in) throws IOException {
    byte[] bytes = in.readRawBytes(in.getBytesUntilLimit());
    // Says that the message ended where it should, as after any other.
    in.readTag();
    return ByteBuffer.wrap(bytes).asReadOnlyBuffer();
  }
}
