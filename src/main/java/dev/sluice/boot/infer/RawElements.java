package dev.sluice.boot.infer;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.sluice.tensor.DataType;
import java.math.BigInteger;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The elements of a tensor as bytes: in files, and in answers of V2 over gRPC. */
final class RawElements {
  private RawElements() {}

  /** Returns all elements as JSON; texts that are no UTF-8 with marks for what is not. */
  static ArrayNode read(DataType type, ByteBuffer bytes) {
    ArrayNode data = JsonNodeFactory.instance.arrayNode();
    while (bytes.hasRemaining()) {
      switch (type) {
        case BOOL -> data.add(bytes.get() != 0);
        case INT8 -> data.add(bytes.get());
        case UINT8 -> data.add(Byte.toUnsignedInt(bytes.get()));
        case INT16 -> data.add(bytes.getShort());
        case UINT16 -> data.add(Short.toUnsignedInt(bytes.getShort()));
        case INT32 -> data.add(bytes.getInt());
        case UINT32 -> data.add(Integer.toUnsignedLong(bytes.getInt()));
        case INT64 -> data.add(bytes.getLong());
        case UINT64 -> data.add(new BigInteger(Long.toUnsignedString(bytes.getLong())));
        case FP16 -> data.add(Float.float16ToFloat(bytes.getShort()));
        case BF16 -> data.add(Float.intBitsToFloat(bytes.getShort() << 16));
        case FP32 -> data.add(bytes.getFloat());
        case FP64 -> data.add(bytes.getDouble());
        case BYTES -> {
          byte[] text = new byte[length(bytes)];
          bytes.get(text);
          data.add(new String(text, StandardCharsets.UTF_8));
        }
        default -> throw new InferFailure("elements of " + type + " cannot be shown");
      }
    }
    return data;
  }

  /** Returns the length in front of a text, all of which is there. */
  private static int length(ByteBuffer bytes) {
    int length = bytes.getInt();
    if (length < 0 || length > bytes.remaining()) {
      throw new BufferUnderflowException();
    }
    return length;
  }
}
