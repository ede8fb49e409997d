package dev.sluice.ops.openapi;

import dev.sluice.transport.http.ResponseCoding;
import io.vertx.core.buffer.Buffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Content with its entity tag. The tag is a weak one, since it is that of every content coding.
 *
 * @param tag as headers have it
 * @param body in the coding that was asked for; null if the client has it already
 */
record TaggedContent(String tag, @Nullable Buffer body) {
  private static final int TAG_BYTES = 12;

  /**
   * Makes it.
   *
   * @param known the tags that the client knows, as it sent them
   */
  static TaggedContent of(Buffer plain, @Nullable String known, ResponseCoding coding) {
    String tag = "W/\"" + hash(plain) + "\"";
    return new TaggedContent(tag, isKnown(tag, known) ? null : coding.encode(plain));
  }

  /** Compares weakly, as RFC 9110 section 13.1.2 has it. */
  private static boolean isKnown(String tag, @Nullable String known) {
    String opaque = tag.substring(tag.indexOf('"'));
    return known != null
        && Arrays.stream(known.split(",", -1))
            .map(String::strip)
            .anyMatch(other -> other.equals("*") || other.equals(tag) || other.equals(opaque));
  }

  private static String hash(Buffer plain) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(plain.getBytes());
      return HexFormat.of().formatHex(hash, 0, TAG_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java VM has SHA-256", e);
    }
  }
}
