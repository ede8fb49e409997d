package dev.sluice.config.security;

import java.util.regex.Pattern;

/**
 * Paths of object stores and other systems, such as {@code gs://bucket/model}.
 *
 * <p>The server reads local file systems only. Such a path is rejected with a text that says so,
 * instead of being looked for as a folder named {@code gs:}.
 */
public final class RemotePath {
  /** The form that is accepted instead, for error texts. */
  public static final String WANTED =
      "a folder of this machine (storage on other systems is mounted or copied first)";

  private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*://.*");

  private RemotePath() {}

  /** Returns whether a text names a path on another system, or one that is written as if it did. */
  public static boolean is(String text) {
    return SCHEME.matcher(text).matches();
  }
}
