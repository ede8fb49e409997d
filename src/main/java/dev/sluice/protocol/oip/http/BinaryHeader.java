package dev.sluice.protocol.oip.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.oip.Excerpt;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The header of the binary tensor data extension: how many bytes of a body are JSON.
 *
 * <p>The header {@code Inference-Header-Content-Length}; without it the whole body is JSON.
 */
final class BinaryHeader {
  static final String NAME = "Inference-Header-Content-Length";

  /** Digits of the length of any text that only describes tensors. */
  private static final int LIKELY_DIGITS = 5;

  private static final long NO_TENSOR = -1;

  private BinaryHeader() {}

  /**
   * Returns the length of the JSON at the front of a body.
   *
   * @param value the header's; without one, the whole body is JSON
   * @throws InferenceException with INVALID_ARGUMENT if it is no number, or not within the body
   */
  static int jsonLength(@Nullable String value, int bodyLength) {
    if (value == null) {
      return bodyLength;
    }
    long likely = tensorAt(value);
    long length = likely == NO_TENSOR ? parse(value) : likely;
    if (length < 0 || length > bodyLength) {
      throw InferenceException.invalid(
          "inference header size should be in range (0, " + bodyLength + "), got: " + length);
    }
    return (int) length;
  }

  /**
   * Requires that a request says the length once, or the same each time.
   *
   * @param values of the header
   * @throws InferenceException with INVALID_ARGUMENT if they differ
   */
  static void requireOne(List<String> values) {
    if (values.stream().distinct().count() > 1) {
      throw InferenceException.invalid(
          "the request has several headers " + NAME + " that differ; wanted one");
    }
  }

  /**
   * Returns the offset of a tensor's bytes, as far as the header tells before the body has arrived.
   * Negative if there are none, or so much text before them that they are not what the body is
   * about.
   */
  static long tensorAt(@Nullable String value) {
    if (value == null || value.isEmpty() || value.length() > LIKELY_DIGITS) {
      return NO_TENSOR;
    }
    long length = 0;
    for (int i = 0; i < value.length(); i++) {
      int digit = value.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return NO_TENSOR;
      }
      length = length * 10 + digit;
    }
    return length;
  }

  private static long parse(String value) {
    if (!value.matches("[-+]?[0-9]+")) {
      throw InferenceException.invalid("Unable to parse " + NAME + ", got: " + Excerpt.of(value));
    }
    try {
      return Integer.parseInt(value);
    } catch (NumberFormatException e) {
      throw InferenceException.invalid(
          "Unable to parse "
              + NAME
              + ", value is out of range [ -2147483648, 2147483647 ], got: "
              + Excerpt.of(value));
    }
  }
}
