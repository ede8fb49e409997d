package dev.sluice.runtime.onnx;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import java.util.regex.Pattern;

/** Turns what a C function returns into nothing or an exception. */
final class OrtStatus {
  private static final int INVALID_ARGUMENT = 2;

  /** A place in the library's source and the signature of the function there. */
  private static final Pattern SOURCE_PLACE =
      Pattern.compile(
          "\\S+\\.(?:cc|cpp|h|hpp):\\d+ (?:[^()\\v]*\\([^()\\v]*\\)(?: const)? )?"
              + "(?:\\[with [^\\]\\v]*\\] )?");

  private OrtStatus() {}

  /**
   * Frees the status, if there is one.
   *
   * @param status 0 if all is well
   */
  static void check(long status) {
    if (status != 0) {
      throw failure(status);
    }
  }

  /**
   * Frees the status of a run, if there is one.
   *
   * @param status 0 if all is well
   */
  static void checkRun(long status) {
    if (status != 0) {
      int code = OrtApi.getErrorCode(status);
      throw RunFailure.of(code, takeText(status));
    }
  }

  private static InferenceException failure(long status) {
    int code = OrtApi.getErrorCode(status);
    return new InferenceException(
        code == INVALID_ARGUMENT ? ErrorCode.INVALID_ARGUMENT : ErrorCode.INTERNAL,
        takeText(status));
  }

  private static String takeText(long status) {
    String text = clean(OrtApi.getErrorMessage(status));
    OrtApi.releaseStatus(status);
    return text;
  }

  /** Without what only the library's authors can read. */
  static String clean(String text) {
    return SOURCE_PLACE.matcher(text).replaceAll("").strip();
  }
}
