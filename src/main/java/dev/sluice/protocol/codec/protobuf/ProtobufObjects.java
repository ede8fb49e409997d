package dev.sluice.protocol.codec.protobuf;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import dev.sluice.tensor.MemoryAccount;
import dev.sluice.tensor.MemoryBudget;
import dev.sluice.transport.Body;
import org.jspecify.annotations.Nullable;

/**
 * Reads messages into protobuf's generated classes, whose objects are counted before they are made:
 * an element of two bytes on the wire becomes one of fifty and more. For rare calls; others are
 * read by a {@link ProtobufReader}. Any thread.
 */
public final class ProtobufObjects {
  /** Bytes of an object for a field, whether its type knows the field or not. */
  private static final int OBJECT = 64;

  /** Bytes of a number in a list, whose shortest form is one byte on the wire. */
  private static final int NUMBER = 8;

  /** How deep protobuf's own readers go. */
  private static final int DEEPEST = 100;

  private ProtobufObjects() {}

  /**
   * Returns the message, whose objects the request on this thread is charged for.
   *
   * @throws InvalidProtocolBufferException if it is none
   * @throws dev.sluice.tensor.MemoryExhausted if there is no memory for its objects
   */
  public static <T extends Message> T read(Parser<T> parser, Body message)
      throws InvalidProtocolBufferException {
    Descriptor type = parser.parsePartialFrom(new byte[0]).getDescriptorForType();
    MemoryAccount.chargeCurrent(MemoryBudget.Kind.INFLATED, size(message, type, 0));
    return parser.parseFrom(message.bytes(), message.offset(), message.length());
  }

  private static long size(Body message, Descriptor type, int depth) {
    long size = 0;
    try {
      var reader = new ProtobufReader(message);
      for (int tag = reader.tag(); tag != 0; tag = reader.tag()) {
        size += OBJECT;
        if (ProtobufTag.form(tag) == ProtobufTag.DELIMITED) {
          size += size(reader.bytes(), type.findFieldByNumber(ProtobufTag.field(tag)), depth);
        } else {
          reader.skip(tag);
        }
      }
    } catch (ProtobufException _) {
      // What was counted so far is what the parser makes before it fails.
    }
    return size;
  }

  private static long size(Body value, @Nullable FieldDescriptor field, int depth) {
    if (field == null || depth == DEEPEST) {
      return value.length();
    }
    return switch (field.getJavaType()) {
      case MESSAGE -> size(value, field.getMessageType(), depth + 1);
      case STRING, BYTE_STRING -> value.length();
      default -> (long) NUMBER * value.length();
    };
  }
}
