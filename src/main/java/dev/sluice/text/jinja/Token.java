package dev.sluice.text.jinja;

/**
 * A piece of a template.
 *
 * @param text what it says: of a string, without quotes and escapes
 * @param line in which it begins, from 1
 */
record Token(Kind kind, String text, int line) {
  enum Kind {
    DATA,
    OUTPUT_BEGIN,
    OUTPUT_END,
    BLOCK_BEGIN,
    BLOCK_END,
    NAME,
    STRING,
    WHOLE,
    DECIMAL,
    OPERATOR,
    END
  }

  boolean is(Kind wanted, String text) {
    return kind == wanted && this.text.equals(text);
  }

  /** Returns it as an error shows it. */
  String shown() {
    return switch (kind) {
      case END -> "the end of the template";
      case OUTPUT_END -> "'}}'";
      case BLOCK_END -> "'%}'";
      default -> "'" + (text.length() <= 40 ? text : text.substring(0, 40) + "...") + "'";
    };
  }
}
