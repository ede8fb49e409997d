package dev.sluice.transport.brpc;

import com.google.protobuf.CodedOutputStream;
import dev.sluice.transport.Buffers;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Frames that answer calls. Answers are never compressed, and have nothing attached. */
final class BrpcReply {
  private static final int RESPONSE = 2;
  private static final int CORRELATION_ID = 4;
  private static final int ERROR_CODE = 1;
  private static final int ERROR_TEXT = 2;

  private static final Buffer NO_MESSAGE = Buffer.buffer();

  private BrpcReply() {}

  /** Answers with a message, which is not copied. */
  static Buffer success(long correlationId, Buffer message) {
    return Buffers.join(head(correlationId, 0, "", message.length()), message);
  }

  static Buffer failure(long correlationId, int code, String text) {
    return head(correlationId, code, text, NO_MESSAGE.length());
  }

  private static Buffer head(long correlationId, int code, String text, int messageLength) {
    byte[] error = text.getBytes(StandardCharsets.UTF_8);
    int responseLength = CodedOutputStream.computeInt32Size(ERROR_CODE, code);
    if (error.length > 0) {
      responseLength += CodedOutputStream.computeByteArraySize(ERROR_TEXT, error);
    }
    int metaLength =
        CodedOutputStream.computeTagSize(RESPONSE)
            + CodedOutputStream.computeUInt32SizeNoTag(responseLength)
            + responseLength
            + CodedOutputStream.computeInt64Size(CORRELATION_ID, correlationId);
    ByteBuffer frame = ByteBuffer.allocate(FrameReader.HEAD + metaLength);
    frame.putInt(FrameReader.MAGIC).putInt(metaLength + messageLength).putInt(metaLength);
    CodedOutputStream out =
        CodedOutputStream.newInstance(frame.array(), FrameReader.HEAD, metaLength);
    try {
      out.writeTag(RESPONSE, com.google.protobuf.WireFormat.WIRETYPE_LENGTH_DELIMITED);
      out.writeUInt32NoTag(responseLength);
      out.writeInt32(ERROR_CODE, code);
      if (error.length > 0) {
        out.writeByteArray(ERROR_TEXT, error);
      }
      out.writeInt64(CORRELATION_ID, correlationId);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Buffers.wrap(frame.array(), 0, frame.capacity());
  }
}
