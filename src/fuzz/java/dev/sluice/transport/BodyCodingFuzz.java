package dev.sluice.transport;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.Rejection;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;

/**
 * Compressed bodies of HTTP: a digit for the coding, the bytes. What is taken is what the JDK makes
 * of it, and within the limit.
 */
final class BodyCodingFuzz implements FuzzTarget {
  private static final int MOST = 1 << 20;

  @Override
  public void accept(byte[] input) throws IOException {
    var bytes = new InputBytes(input);
    String coding = bytes.one("gzip", "deflate", "x-gzip", "br");
    byte[] body = bytes.rest();
    Body plain = Rejection.request(() -> ContentCoding.inflate(coding, Body.of(body), MOST));
    if (plain == null) {
      return;
    }
    if (plain.length() > MOST) {
      throw new AssertionError(plain.length() + " bytes, beyond the limit");
    }
    byte[] read = Arrays.copyOfRange(plain.bytes(), plain.offset(), plain.end());
    if (coding.endsWith("gzip")) {
      requireSame(read, new GZIPInputStream(new ByteArrayInputStream(body)).readAllBytes());
    } else if (isZlib(body)) {
      requireSame(read, new InflaterInputStream(new ByteArrayInputStream(body)).readAllBytes());
    }
  }

  /** RFC 1950, section 2.2: else it is a bare stream of RFC 1951. */
  private static boolean isZlib(byte[] body) {
    return body.length > 1
        && (body[0] & 0x0F) == 8
        && (((body[0] & 0xFF) << 8) + (body[1] & 0xFF)) % 31 == 0;
  }

  private static void requireSame(byte[] read, byte[] wanted) {
    if (!Arrays.equals(read, wanted)) {
      throw new AssertionError(read.length + " bytes, the JDK reads " + wanted.length);
    }
  }
}
