package dev.sluice.transport.grpc;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.transport.Body;
import dev.sluice.transport.ContentCoding;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Takes the one message out of a unary call's body: a flag, a length, the message, and nothing
 * behind it. Every other body is answered, never left waiting.
 */
final class MessageReader {
  private static final int COMPRESSED = 1;

  private final @Nullable String encoding;
  private final long maxMessage;
  private final long maxInflated;

  /**
   * @param encoding the call's {@code grpc-encoding}
   * @param maxMessage bytes a message may have as it arrives
   * @param maxInflated bytes it may have uncompressed
   */
  MessageReader(@Nullable String encoding, long maxMessage, long maxInflated) {
    this.encoding = encoding;
    this.maxMessage = maxMessage;
    this.maxInflated = maxInflated;
  }

  /** Undoes the base64 of gRPC-Web's text form, whose pieces may each end in padding. */
  static Body fromText(Body text) {
    byte[] bytes = new byte[text.length()];
    System.arraycopy(text.bytes(), text.offset(), bytes, 0, text.length());
    try {
      return Body.of(Base64.getDecoder().decode(bytes));
    } catch (IllegalArgumentException e) {
      throw InferenceException.invalid("the call's body is not base64: " + e.getMessage());
    }
  }

  Body read(Body framed) {
    if (framed.length() < GrpcReply.PREFIX) {
      throw InferenceException.invalid(
          "a unary call needs one message, got a body of " + framed.length() + " bytes");
    }
    long announced = length(framed);
    long arrived = framed.length() - (long) GrpcReply.PREFIX;
    if (announced > maxMessage) {
      throw tooLarge(announced);
    }
    if (announced != arrived) {
      throw InferenceException.invalid(
          "the message announces " + announced + " bytes, but the call has " + arrived);
    }
    Body message = framed.slice(GrpcReply.PREFIX, (int) announced);
    return isCompressed(framed) ? inflate(message) : message;
  }

  InferenceException tooLarge(long bytes) {
    return new InferenceException(
        ErrorCode.TOO_LARGE,
        "the message has "
            + bytes
            + " bytes or more, the limit is "
            + maxMessage
            + " (setting limits.max_body_size)");
  }

  private static long length(Body framed) {
    long length = 0;
    for (int i = 1; i < GrpcReply.PREFIX; i++) {
      length = (length << 8) | (framed.bytes()[framed.offset() + i] & 0xFF);
    }
    return length;
  }

  private static boolean isCompressed(Body framed) {
    int flag = framed.bytes()[framed.offset()];
    if (flag != 0 && flag != COMPRESSED) {
      throw InferenceException.invalid("the message's flag is " + flag + ", wanted 0 or 1");
    }
    return flag == COMPRESSED;
  }

  private Body inflate(Body message) {
    if (encoding == null || encoding.equals("identity")) {
      throw new InferenceException(
          ErrorCode.INTERNAL, "the message is compressed, but the call names no grpc-encoding");
    }
    return ContentCoding.inflate(encoding, message, maxInflated);
  }
}
