package dev.sluice.fuzz;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** How bad input is refused: as the caller's fault, or as the author's of a file, with a text. */
public final class Rejection {
  /** Longest text for an error, in characters: excerpts of the input are bounded. */
  private static final int LONGEST_TEXT = 64 << 10;

  private Rejection() {}

  /** Returns what a decoder makes of a request; null if it refuses it as the caller's fault. */
  public static <T> @Nullable T request(Supplier<T> decode) {
    try {
      return decode.get();
    } catch (InferenceException e) {
      requireCallers(e);
      return null;
    }
  }

  /** Does the same for a part of a decoder, which leaves the error's form to its callers. */
  public static <T> @Nullable T part(
      Class<? extends RuntimeException> declared, Supplier<T> decode) {
    try {
      return request(decode);
    } catch (RuntimeException e) {
      if (!declared.isInstance(e)) {
        throw e;
      }
      requireText(e);
      return null;
    }
  }

  /** Returns what a reader makes of a file; null if it refuses it with a text. */
  public static <T> @Nullable T file(Supplier<T> read) {
    try {
      return read.get();
    } catch (ConfigException e) {
      requireText(e);
      return null;
    }
  }

  /** Requires that a failure is the caller's fault and says what is wrong. */
  public static void requireCallers(@Nullable Throwable failure) {
    if (!(failure instanceof InferenceException refused)
        || refused.code().fault() != ErrorCode.Fault.CALLER) {
      throw new AssertionError("wanted the caller's fault", failure);
    }
    requireText(refused);
  }

  private static void requireText(RuntimeException refused) {
    String text = refused.getMessage();
    if (text == null || text.isBlank() || text.length() > LONGEST_TEXT) {
      throw new AssertionError("wanted a text of at most " + LONGEST_TEXT, refused);
    }
  }
}
