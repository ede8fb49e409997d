package dev.sluice.transport.grpc;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.MemoryAccount;
import dev.sluice.tensor.MemoryBudget.Kind;
import dev.sluice.transport.Body;
import dev.sluice.transport.ContentCoding;
import java.nio.ByteBuffer;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Takes the one message out of a unary call's body: a flag, a length, the message, and nothing
 * behind it. Every other body is answered, never left waiting.
 */
final class GrpcMessageReader {
  private static final int COMPRESSED = 1;

  private final @Nullable String encoding;
  private final long maxMessage;
  private final long maxInflated;

  /**
   * @param encoding the call's {@code grpc-encoding}
   * @param maxMessage bytes a message may have as it arrives
   * @param maxInflated bytes it may have uncompressed
   */
  GrpcMessageReader(@Nullable String encoding, long maxMessage, long maxInflated) {
    this.encoding = encoding;
    this.maxMessage = maxMessage;
    this.maxInflated = maxInflated;
  }

  /** Undoes the base64 of gRPC-Web's text form, whose pieces may each end in padding. */
  static Body fromText(Body text) {
    MemoryAccount.chargeCurrent(Kind.INFLATED, text.length());
    var encoded = ByteBuffer.wrap(text.bytes(), text.offset(), text.length());
    try {
      ByteBuffer decoded = Base64.getDecoder().decode(encoded);
      return new Body(decoded.array(), decoded.arrayOffset(), decoded.remaining());
    } catch (IllegalArgumentException e) {
      throw InferenceException.invalid("the call's body is not base64: " + e.getMessage());
    }
  }

  Body read(Body framed) {
    if (framed.length() < GrpcReply.PREFIX) {
      throw InferenceException.invalid(
          "a unary call needs one message, got a body of " + framed.length() + " bytes");
    }
    Body prefix = framed.slice(0, GrpcReply.PREFIX).onHeap();
    long announced = length(prefix);
    long arrived = framed.length() - (long) GrpcReply.PREFIX;
    if (announced > maxMessage) {
      throw tooLarge(announced);
    }
    if (announced != arrived) {
      throw wrongLength(announced, arrived);
    }
    Body message = framed.slice(GrpcReply.PREFIX, (int) announced);
    return isCompressed(prefix) ? inflate(message) : message;
  }

  static InferenceException wrongLength(long announced, long arrived) {
    return InferenceException.invalid(
        "the message announces " + announced + " bytes, but the call has " + arrived);
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

  private static long length(Body prefix) {
    long length = 0;
    for (int i = 1; i < GrpcReply.PREFIX; i++) {
      length = (length << 8) | (prefix.bytes()[prefix.offset() + i] & 0xFF);
    }
    return length;
  }

  private static boolean isCompressed(Body prefix) {
    int flag = prefix.bytes()[prefix.offset()];
    if (flag != 0 && flag != COMPRESSED) {
      throw InferenceException.invalid("the message's flag is " + flag + ", wanted 0 or 1");
    }
    return flag == COMPRESSED;
  }

  private Body inflate(Body message) {
    if (encoding == null || encoding.equals("identity")) {
      throw InferenceException.invalid(
          "the message is compressed, but the call's grpc-encoding is %s; wanted gzip or deflate"
              .formatted(encoding == null ? "missing" : encoding));
    }
    return ContentCoding.inflate(encoding, message, maxInflated);
  }
}
