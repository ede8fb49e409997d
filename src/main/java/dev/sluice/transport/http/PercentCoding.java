package dev.sluice.transport.http;

import dev.sluice.inference.InferenceException;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Undoes percent-encoding of one part of a path or query.
 *
 * <p>Decodes exactly once: a percent sign that was itself encoded stays one, so that no path can
 * hide a separator.
 */
public final class PercentCoding {
  private PercentCoding() {}

  /**
   * Returns the text with every {@code %XX} replaced by its byte, read as UTF-8. A plus sign stays
   * one.
   *
   * @throws InferenceException with INVALID_ARGUMENT if a percent sign has no two digits behind it
   */
  public static String decode(String text) {
    if (text.indexOf('%') < 0) {
      return text;
    }
    byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
    var decoded = new ByteArrayOutputStream(encoded.length);
    for (int i = 0; i < encoded.length; i++) {
      if (encoded[i] != '%') {
        decoded.write(encoded[i]);
        continue;
      }
      int high = i + 2 < encoded.length ? Character.digit(encoded[i + 1], 16) : -1;
      int low = i + 2 < encoded.length ? Character.digit(encoded[i + 2], 16) : -1;
      if (high < 0 || low < 0) {
        throw InferenceException.invalid("'" + text + "' is not percent-encoded text");
      }
      decoded.write((high << 4) | low);
      i += 2;
    }
    return decoded.toString(StandardCharsets.UTF_8);
  }
}
