package dev.sluice.transport;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.MemoryAccount;
import dev.sluice.tensor.MemoryBudget.Kind;
import java.io.IOException;
import java.util.Locale;

/**
 * Undoes the compression of a body, up to a limit, so that no small body can fill the memory.
 *
 * <p>Bounded twice: by the listener's limit for bodies and by the memory budget, both checked while
 * inflating. A small body that would inflate for long is done on a worker.
 */
public final class ContentCoding {
  /**
   * The most that a byte can become. It is what decides whether a worker inflates a body, since 50
   * KiB that should hold the event loop for a moment may hold it for a tenth of a second.
   */
  public static final long MOST_RATIO = 1032;

  private static final int CHUNK = 16 * 1024;

  private ContentCoding() {}

  /** Bytes that are set aside at first for a body that does not say how large it becomes. */
  private static final long LARGEST_GUESS = 256 * 1024;

  private static final long LIKELY_RATIO = 8;

  /** Bytes of the length that a gzip body ends with. */
  private static final int GZIP_LENGTH = 4;

  /**
   * Returns the body behind a coding: {@code gzip}, or {@code deflate} with or without its wrapper.
   * It is never held more than once: where it becomes larger than it seemed to, it is inflated a
   * second time, into an array of the right size.
   *
   * @throws InferenceException UNIMPLEMENTED for another coding, INVALID_ARGUMENT for a damaged
   *     body, TOO_LARGE beyond the limit
   * @throws dev.sluice.tensor.MemoryExhausted if the memory budget has not so many bytes free
   */
  public static Body inflate(String coding, Body body, long limit) {
    requireKnown(coding);
    try {
      int guess = guess(coding, body, limit);
      MemoryAccount.chargeCurrent(Kind.INFLATED, guess);
      byte[] plain = new byte[guess];
      long size = read(coding, body, limit, plain);
      if (size <= guess) {
        return new Body(plain, 0, (int) size);
      }
      plain = null; // The next array takes its place.
      MemoryAccount.releaseCurrent(Kind.INFLATED, guess);
      MemoryAccount.chargeCurrent(Kind.INFLATED, size);
      byte[] whole = new byte[(int) size];
      read(coding, body, limit, whole);
      return Body.of(whole);
    } catch (IOException e) {
      throw InferenceException.invalid(
          "the request body says it is "
              + coding
              + ", but cannot be decompressed: "
              + e.getMessage());
    }
  }

  /**
   * Returns an estimate of the decompressed size of a body. A gzip body says it, though not always
   * the truth.
   */
  private static int guess(String coding, Body body, long limit) {
    long length = body.length();
    long guess = Math.min(LARGEST_GUESS, length * LIKELY_RATIO + CHUNK);
    if (isGzip(coding) && length > GZIP_LENGTH) {
      long said = saidLength(body);
      if (said <= length * MOST_RATIO) {
        guess = said;
      }
    }
    return (int) Math.min(guess, limit);
  }

  /** Returns the announced length: the last four bytes, the lowest first. */
  private static long saidLength(Body body) {
    long length = 0;
    for (int i = 1; i <= GZIP_LENGTH; i++) {
      length = (length << Byte.SIZE) | (body.bytes()[body.end() - i] & 0xFF);
    }
    return length;
  }

  private static boolean isGzip(String coding) {
    String name = coding.toLowerCase(Locale.ROOT);
    return name.equals("gzip") || name.equals("x-gzip");
  }

  private static Inflation open(String coding, Body body) {
    return isGzip(coding) ? Inflation.ofGzip(body) : Inflation.ofDeflate(body);
  }

  private static void requireKnown(String coding) {
    if (!isGzip(coding) && !coding.equalsIgnoreCase("deflate")) {
      throw new InferenceException(
          ErrorCode.UNIMPLEMENTED,
          "Unsupported compression type '" + coding + "', wanted gzip, deflate or identity");
    }
  }

  /**
   * Inflates a body into an array, as far as it fits.
   *
   * @return bytes of the whole
   */
  private static long read(String coding, Body body, long limit, byte[] into) throws IOException {
    try (Inflation inflation = open(coding, body)) {
      long size = inflation.read(into);
      if (size < into.length) {
        return size;
      }
      byte[] rest = new byte[CHUNK];
      for (int n = inflation.read(rest); n > 0; n = inflation.read(rest)) {
        size += n;
        if (size > limit) {
          throw tooLarge(coding, limit);
        }
      }
      return size;
    }
  }

  private static InferenceException tooLarge(String coding, long limit) {
    return new InferenceException(
        ErrorCode.TOO_LARGE,
        "the request body has more than "
            + limit
            + " bytes once its "
            + coding
            + " coding is undone (setting limits.max_inflated_size)");
  }
}
