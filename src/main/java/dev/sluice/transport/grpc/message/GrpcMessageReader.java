package dev.sluice.transport.grpc.message;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.MemoryAccount;
import dev.sluice.tensor.MemoryBudget;
import dev.sluice.tensor.MemoryBudget.Kind;
import dev.sluice.transport.Body;
import dev.sluice.transport.ContentCoding;
import java.nio.ByteBuffer;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Takes the one message out of a unary call's body: a flag, a length, the message, and nothing
 * behind it. Every other body is answered, never left waiting.
 *
 * @param encoding the call's {@code grpc-encoding}
 * @param maxMessage bytes a message may have as it arrives
 * @param maxInflated bytes it may have uncompressed
 */
public record GrpcMessageReader(@Nullable String encoding, long maxMessage, long maxInflated) {
  /** Bytes of a frame's head: a flag and a 32-bit length. */
  public static final int PREFIX = 5;

  private static final int COMPRESSED = 1;

  /** Undoes the base64 of gRPC-Web's text form, whose pieces may each end in padding. */
  public static Body fromText(Body text) {
    MemoryAccount.chargeCurrent(Kind.INFLATED, text.length());
    var encoded = ByteBuffer.wrap(text.bytes(), text.offset(), text.length());
    try {
      ByteBuffer decoded = Base64.getDecoder().decode(encoded);
      return new Body(decoded.array(), decoded.arrayOffset(), decoded.remaining());
    } catch (IllegalArgumentException e) {
      throw InferenceException.invalid("the call's body is not base64: " + e.getMessage());
    }
  }

  /**
   * Returns the message of a frame, uncompressed.
   *
   * @throws InferenceException TOO_LARGE or INVALID_ARGUMENT
   */
  public Body read(Body framed) {
    if (framed.length() < PREFIX) {
      throw InferenceException.invalid(
          "a unary call needs one message, got a body of " + framed.length() + " bytes");
    }
    Body prefix = framed.slice(0, PREFIX).onHeap();
    long announced = length(prefix);
    long arrived = framed.length() - (long) PREFIX;
    if (announced > maxMessage) {
      throw tooLarge(announced);
    }
    if (announced != arrived) {
      throw wrongLength(announced, arrived);
    }
    Body message = framed.slice(PREFIX, (int) announced);
    return isCompressed(prefix) ? inflate(message) : message;
  }

  static InferenceException wrongLength(long announced, long arrived) {
    return InferenceException.invalid(
        "the message announces " + announced + " bytes, but the call has " + arrived);
  }

  /**
   * Requires that a body can be held at all, however little else there is.
   *
   * @throws InferenceException with TOO_LARGE
   */
  static void requireFits(long size, MemoryBudget budget) {
    if (size > budget.largestBody()) {
      throw new InferenceException(
          ErrorCode.TOO_LARGE,
          "the message has %d bytes, of which the memory budget holds %d at most (setting limits.memory)"
              .formatted(size, budget.largestBody()));
    }
  }

  /** Returns the error for a message with more bytes than the limit. */
  public InferenceException tooLarge(long bytes) {
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
    for (int i = 1; i < PREFIX; i++) {
      length = (length << 8) | (prefix.bytes()[prefix.offset() + i] & 0xFF);
    }
    return length;
  }

  private static boolean isCompressed(Body prefix) {
    int flag = prefix.bytes()[prefix.offset()] & 0xFF;
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
