package dev.sluice.transport.grpc;

import java.nio.charset.StandardCharsets;

/**
 * The percent-encoding of status texts.
 *
 * <p>Status messages travel in a header, which carries visible ASCII only; the rest is UTF-8 bytes
 * as {@code %XX}.
 */
final class GrpcText {
  private static final String HEX = "0123456789ABCDEF";

  private GrpcText() {}

  /**
   * Returns the text with every byte outside printable ASCII, and the percent sign, as {@code %XX}.
   */
  static String encode(String text) {
    var encoded = new StringBuilder(text.length());
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      if (b >= ' ' && b <= '~' && b != '%') {
        encoded.append((char) b);
      } else {
        encoded.append('%').append(HEX.charAt((b >> 4) & 0xF)).append(HEX.charAt(b & 0xF));
      }
    }
    return encoded.toString();
  }
}
