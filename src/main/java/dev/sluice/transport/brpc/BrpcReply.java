package dev.sluice.transport.brpc;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import dev.sluice.transport.Buffers;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Frame that answers a call. Answers are never compressed, and have nothing attached.
 *
 * @param correlationId by which the client knows the answer
 * @param userFields what the answer reports besides its message, by its name
 */
record BrpcReply(long correlationId, Map<String, String> userFields) {
  private static final int RESPONSE = 2;
  private static final int CORRELATION_ID = 4;
  private static final int ERROR_CODE = 1;
  private static final int ERROR_TEXT = 2;

  /** Returns the answer to a call, which reports nothing besides. */
  static BrpcReply to(RpcMeta call) {
    return new BrpcReply(call.correlationId(), Map.of());
  }

  /** Returns the frame with a message, which is not copied. */
  Buffer success(Buffer message) {
    return Buffers.join(head(0, "", message.length()), message);
  }

  /** Returns the frame of a failure. */
  Buffer failure(int code, String text) {
    return head(code, text, 0);
  }

  private Buffer head(int code, String text, int messageLength) {
    byte[] error = text.getBytes(StandardCharsets.UTF_8);
    int responseLength = CodedOutputStream.computeInt32Size(ERROR_CODE, code);
    if (error.length > 0) {
      responseLength += CodedOutputStream.computeByteArraySize(ERROR_TEXT, error);
    }
    int metaLength = metaLength(responseLength);
    ByteBuffer frame = ByteBuffer.allocate(FrameReader.HEAD + metaLength);
    frame.putInt(FrameReader.MAGIC).putInt(metaLength + messageLength).putInt(metaLength);
    var out = CodedOutputStream.newInstance(frame.array(), FrameReader.HEAD, metaLength);
    try {
      begin(out, RESPONSE, responseLength);
      out.writeInt32(ERROR_CODE, code);
      if (error.length > 0) {
        out.writeByteArray(ERROR_TEXT, error);
      }
      out.writeInt64(CORRELATION_ID, correlationId);
      writeUserFields(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Buffers.wrap(frame.array(), 0, frame.capacity());
  }

  private int metaLength(int responseLength) {
    int length =
        embedded(RESPONSE, responseLength)
            + CodedOutputStream.computeInt64Size(CORRELATION_ID, correlationId);
    for (Map.Entry<String, String> field : userFields.entrySet()) {
      length += embedded(RpcMeta.USER_FIELDS_NUMBER, length(field));
    }
    return length;
  }

  private void writeUserFields(CodedOutputStream out) throws IOException {
    for (Map.Entry<String, String> field : userFields.entrySet()) {
      begin(out, RpcMeta.USER_FIELDS_NUMBER, length(field));
      out.writeString(RpcMeta.KEY_NUMBER, field.getKey());
      out.writeString(RpcMeta.VALUE_NUMBER, field.getValue());
    }
  }

  private static int length(Map.Entry<String, String> field) {
    return CodedOutputStream.computeStringSize(RpcMeta.KEY_NUMBER, field.getKey())
        + CodedOutputStream.computeStringSize(RpcMeta.VALUE_NUMBER, field.getValue());
  }

  /** Returns the bytes of a message within the meta, its head included. */
  private static int embedded(int field, int length) {
    return CodedOutputStream.computeTagSize(field)
        + CodedOutputStream.computeUInt32SizeNoTag(length)
        + length;
  }

  private static void begin(CodedOutputStream out, int field, int length) throws IOException {
    out.writeTag(field, WireFormat.WIRETYPE_LENGTH_DELIMITED);
    out.writeUInt32NoTag(length);
  }
}
