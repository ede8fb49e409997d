package dev.sluice.transport.http;

import dev.sluice.tensor.MemoryAccount;
import dev.sluice.tensor.MemoryBudget.Kind;
import dev.sluice.transport.Body;
import dev.sluice.transport.Buffers;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The codings that an answer's body may have, and the client's choice among them.
 *
 * <p>Weights of {@code Accept-Encoding} are honoured.
 */
public enum ResponseCoding {
  IDENTITY,
  GZIP,
  DEFLATE;

  /** A client's list says more than this only to cost time. */
  private static final int LONGEST = 1_000;

  /** Returns its name in headers. */
  public String token() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the coding that a client likes best: the highest quality, the first of equal ones.
   *
   * @param acceptEncoding the header's value; without one, or if it names none of ours, none
   */
  public static ResponseCoding of(@Nullable String acceptEncoding) {
    ResponseCoding best = IDENTITY;
    if (acceptEncoding == null || acceptEncoding.length() > LONGEST) {
      return best;
    }
    double bestQuality = 0;
    for (String entry : acceptEncoding.split(",", -1)) {
      String[] parts = entry.split(";", -1);
      double quality = quality(parts);
      for (ResponseCoding coding : values()) {
        if (coding.token().equalsIgnoreCase(parts[0].strip()) && quality > bestQuality) {
          best = coding;
          bestQuality = quality;
        }
      }
    }
    return best;
  }

  /** Parses a quality; one that is no number counts as none: the coding is not used. */
  private static double quality(String... parts) {
    for (int i = 1; i < parts.length; i++) {
      String parameter = parts[i].strip().toLowerCase(Locale.ROOT);
      if (parameter.startsWith("q=")) {
        try {
          return Double.parseDouble(parameter.substring(2));
        } catch (NumberFormatException e) {
          return 0;
        }
      }
    }
    return 1;
  }

  /** Returns a body in this coding. Work in proportion to its length. */
  public Buffer encode(Buffer plain) {
    if (this == IDENTITY) {
      return plain;
    }
    MemoryAccount.chargeCurrent(Kind.ANSWER, plain.length());
    Body body = Buffers.body(plain);
    var bytes = new ByteArrayOutputStream(Math.max(64, plain.length() / 4));
    try (OutputStream coded =
        this == GZIP ? new GZIPOutputStream(bytes) : new DeflaterOutputStream(bytes)) {
      coded.write(body.bytes(), body.offset(), body.length());
    } catch (IOException e) {
      throw new UncheckedIOException("memory cannot be written to", e);
    }
    return Buffers.wrap(bytes.toByteArray());
  }
}
