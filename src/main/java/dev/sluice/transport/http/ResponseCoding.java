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
import java.util.regex.Pattern;
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

  /** Most headers name neither, or there is none: those are not taken apart. */
  private static final Pattern NAMED = Pattern.compile("gzip|deflate", Pattern.CASE_INSENSITIVE);

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
    if (acceptEncoding == null || !NAMED.matcher(acceptEncoding).find()) {
      return IDENTITY;
    }
    ResponseCoding best = IDENTITY;
    double bestQuality = 0;
    for (QualityValues.Member member : QualityValues.of(acceptEncoding).members()) {
      for (ResponseCoding coding : values()) {
        if (coding.token().equals(member.value()) && member.quality() > bestQuality) {
          best = coding;
          bestQuality = member.quality();
        }
      }
    }
    return best;
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
