package dev.sluice.transport;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;

/** Undoes the compression of a body, up to a limit, so that no small body can fill the memory. */
public final class ContentCoding {
  /**
   * The most that a byte can become. It is what decides whether a worker inflates a body, since 50
   * KiB that should hold the event loop for a moment may hold it for a tenth of a second.
   */
  public static final long MOST_RATIO = 1032;

  private static final int CHUNK = 16 * 1024;

  private ContentCoding() {}

  /**
   * The body behind a coding: {@code gzip}, or {@code deflate} with or without its wrapper.
   *
   * @throws InferenceException UNIMPLEMENTED for another coding, INVALID_ARGUMENT for a damaged
   *     body, TOO_LARGE beyond the limit
   */
  public static Body inflate(String coding, Body body, long limit) {
    // Its native memory is freed here: a stream that is given an inflater leaves it to its owner.
    try (Inflater inflater = new Inflater(!hasZlibHeader(body));
        InputStream compressed = open(coding, body, inflater)) {
      return read(compressed, coding, limit);
    } catch (IOException e) {
      throw InferenceException.invalid(
          "the request body says it is "
              + coding
              + ", but cannot be decompressed: "
              + e.getMessage());
    }
  }

  private static InputStream open(String coding, Body body, Inflater inflater) throws IOException {
    var bytes = new ByteArrayInputStream(body.bytes(), body.offset(), body.length());
    return switch (coding.toLowerCase(Locale.ROOT)) {
      case "gzip", "x-gzip" -> new GZIPInputStream(bytes, CHUNK);
      case "deflate" -> new InflaterInputStream(bytes, inflater, CHUNK);
      default ->
          throw new InferenceException(
              ErrorCode.UNIMPLEMENTED,
              "Unsupported compression type '" + coding + "', wanted gzip, deflate or identity");
    };
  }

  /** A zlib stream begins with 8 (deflate) in its low bits and a two-byte multiple of 31. */
  private static boolean hasZlibHeader(Body body) {
    if (body.length() < 2) {
      return true;
    }
    int first = body.bytes()[body.offset()] & 0xFF;
    int second = body.bytes()[body.offset() + 1] & 0xFF;
    return (first & 0x0F) == 8 && ((first << 8) | second) % 31 == 0;
  }

  private static Body read(InputStream compressed, String coding, long limit) throws IOException {
    var plain = new ByteArrayOutputStream(CHUNK);
    byte[] chunk = new byte[CHUNK];
    for (int n = compressed.read(chunk); n >= 0; n = compressed.read(chunk)) {
      if (plain.size() + (long) n > limit) {
        throw new InferenceException(
            ErrorCode.TOO_LARGE,
            "the request body has more than "
                + limit
                + " bytes once its "
                + coding
                + " coding is undone (setting limits.max_inflated_size)");
      }
      plain.write(chunk, 0, n);
    }
    return Body.of(plain.toByteArray());
  }
}
