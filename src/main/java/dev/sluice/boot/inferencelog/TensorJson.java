package dev.sluice.boot.inferencelog;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.sluice.tensor.DataType;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

/**
 * Writes tensors as V2 does in JSON. Valid JSON whatever is in them: NaN and infinities are texts,
 * and bytes that are no text are objects with {@code b64}, as TensorFlow Serving has them.
 */
final class TensorJson {
  private static final int HALF = 16;
  private static final long UNSIGNED_INT = 0xFFFF_FFFFL;

  private TensorJson() {}

  static void write(List<RecordedTensor> tensors, JsonGenerator json) throws IOException {
    json.writeStartArray();
    for (RecordedTensor tensor : tensors) {
      json.writeStartObject();
      json.writeStringField("name", tensor.name());
      json.writeStringField("datatype", tensor.type().name());
      json.writeFieldName("shape");
      json.writeArray(tensor.shape().dims(), 0, tensor.shape().rank());
      byte[] data = tensor.data();
      if (data == null) {
        json.writeStringField("omitted", tensor.omitted());
      } else {
        json.writeArrayFieldStart("data");
        values(tensor.type(), ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN), json);
        json.writeEndArray();
      }
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void values(DataType type, ByteBuffer from, JsonGenerator json)
      throws IOException {
    while (from.hasRemaining()) {
      if (type.isFloat()) {
        decimal(type, from, json);
      } else {
        value(type, from, json);
      }
    }
  }

  private static void value(DataType type, ByteBuffer from, JsonGenerator json) throws IOException {
    switch (type) {
      case BOOL -> json.writeBoolean(from.get() != 0);
      case UINT8 -> json.writeNumber(Byte.toUnsignedInt(from.get()));
      case INT8 -> json.writeNumber(from.get());
      case UINT16 -> json.writeNumber(Short.toUnsignedInt(from.getShort()));
      case INT16 -> json.writeNumber(from.getShort());
      case UINT32 -> json.writeNumber(from.getInt() & UNSIGNED_INT);
      case INT32 -> json.writeNumber(from.getInt());
      case UINT64 -> json.writeNumber(new BigInteger(Long.toUnsignedString(from.getLong())));
      case INT64 -> json.writeNumber(from.getLong());
      case BYTES -> bytes(from, json);
      default -> throw new IllegalArgumentException("no values of " + type + " are recorded");
    }
  }

  private static void decimal(DataType type, ByteBuffer from, JsonGenerator json)
      throws IOException {
    if (type == DataType.FP64) {
      double value = from.getDouble();
      if (Double.isFinite(value)) {
        json.writeNumber(value);
      } else {
        json.writeString(Double.toString(value));
      }
      return;
    }
    float value =
        switch (type) {
          case FP16 -> Float.float16ToFloat(from.getShort());
          case BF16 -> Float.intBitsToFloat(from.getShort() << HALF);
          default -> from.getFloat();
        };
    if (Float.isFinite(value)) {
      json.writeNumber(value);
    } else {
      json.writeString(Float.toString(value));
    }
  }

  private static void bytes(ByteBuffer from, JsonGenerator json) throws IOException {
    byte[] element = new byte[from.getInt()];
    from.get(element);
    try {
      json.writeString(
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(element)).toString());
    } catch (CharacterCodingException e) {
      json.writeStartObject();
      json.writeStringField("b64", Base64.getEncoder().encodeToString(element));
      json.writeEndObject();
    }
  }
}
