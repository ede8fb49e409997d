package dev.sluice.text.jinja;

/** Escapes in the strings of a template, as in those of Python. */
final class StringLiteral {
  private static final String ESCAPES = "\\'\"nrtabfv0";
  private static final String MEANT = "\\'\"\n\r\t\u0007\b\f\u000B\0";

  private StringLiteral() {}

  /** Returns the text of a string that has its quotes. */
  static String unquoted(String literal) {
    String text = literal.substring(1, literal.length() - 1);
    var out = new StringBuilder();
    for (int at = 0; at < text.length(); ) {
      if (text.charAt(at) != '\\') {
        out.append(text.charAt(at++));
      } else {
        at = escape(text, at + 1, out);
      }
    }
    return out.toString();
  }

  /** Appends what an escape means, and returns where the text goes on. */
  private static int escape(String text, int at, StringBuilder out) {
    char sign = text.charAt(at);
    int digits =
        switch (sign) {
          case 'x' -> 2;
          case 'u' -> 4;
          case 'U' -> 8;
          default -> 0;
        };
    int code = digits == 0 ? -1 : code(text, at + 1, digits);
    if (code >= 0) {
      out.appendCodePoint(code);
      return at + 1 + digits;
    }
    int known = ESCAPES.indexOf(sign);
    if (known >= 0) {
      out.append(MEANT.charAt(known));
    } else if (sign != '\n') {
      out.append('\\').append(sign);
    }
    return at + 1;
  }

  /** Returns a code point; negative if there is none. */
  private static int code(String text, int from, int digits) {
    try {
      int code =
          from + digits <= text.length()
              ? Integer.parseUnsignedInt(text, from, from + digits, 16)
              : -1;
      return Character.isValidCodePoint(code) ? code : -1;
    } catch (NumberFormatException _) {
      return -1;
    }
  }
}
