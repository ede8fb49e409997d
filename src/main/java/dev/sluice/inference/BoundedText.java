package dev.sluice.inference;

import java.util.Locale;

/**
 * Texts for clients and logs that repeat what a client has sent: of bounded length, and without
 * characters that a terminal or a log reader would obey. Any thread.
 */
public final class BoundedText {
  /** Characters of an error's text: what protocols pin is shorter. */
  static final int ERROR_LENGTH = 2_000;

  private static final int ESCAPE_LENGTH = 6;

  private BoundedText() {}

  /** Returns a text for a client: cut, with line ends and tabs as they are. */
  public static String ofError(String text) {
    return escape(cut(text, ERROR_LENGTH));
  }

  /**
   * Returns the beginning and the end of a text that is too long, and how much is left out between:
   * a name that is too long must not hide what is said of it.
   *
   * @param longest characters of the result, about
   */
  public static String cut(String text, int longest) {
    if (text.length() <= longest) {
      return text;
    }
    int begin = whole(text, longest * 2 / 3);
    int end = whole(text, text.length() - longest / 3);
    return text.substring(0, begin)
        + "... ("
        + (end - begin)
        + " characters) ..."
        + text.substring(end);
  }

  /** Returns the place at which a text can be cut without halving a character. */
  private static int whole(String text, int index) {
    return Character.isLowSurrogate(text.charAt(index)) ? index - 1 : index;
  }

  /**
   * Returns a text with control characters, other than line ends and tabs, and characters that
   * change the direction or the lines of a text as {@code \u001b}.
   */
  public static String escape(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (obeyed(text.charAt(i))) {
        return escapeFrom(i, text);
      }
    }
    return text;
  }

  private static String escapeFrom(int first, String text) {
    var escaped = new StringBuilder(text.length() + ESCAPE_LENGTH).append(text, 0, first);
    for (int i = first; i < text.length(); i++) {
      char c = text.charAt(i);
      if (obeyed(c)) {
        escaped.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        escaped.append(c);
      }
    }
    return escaped.toString();
  }

  private static boolean obeyed(char c) {
    if (c >= ' ' && c < '\u007f') {
      return false;
    }
    return switch (Character.getType(c)) {
      case Character.CONTROL -> c != '\n' && c != '\t';
      case Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
      default -> false;
    };
  }
}
