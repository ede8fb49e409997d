package dev.sluice.protocol.codec;

/**
 * The ways in which a text can fail to be JSON, with the texts of the servers that this one
 * replaces.
 */
public enum JsonError {
  EMPTY("The document is empty."),
  ROOT_NOT_SINGULAR("The document root must not be followed by other values."),
  INVALID_VALUE("Invalid value."),
  MISSING_NAME("Missing a name for object member."),
  MISSING_COLON("Missing a colon after a name of object member."),
  MISSING_COMMA_OR_BRACE("Missing a comma or '}' after an object member."),
  MISSING_COMMA_OR_BRACKET("Missing a comma or ']' after an array element."),
  BAD_HEX("Incorrect hex digit after \\u escape in string."),
  BAD_SURROGATE("The surrogate pair in string is invalid."),
  BAD_ESCAPE("Invalid escape character in string."),
  MISSING_QUOTE("Missing a closing quotation mark in string."),
  NUMBER_TOO_BIG("Number too big to be stored in double."),
  MISSING_FRACTION("Miss fraction part in number."),
  MISSING_EXPONENT("Miss exponent in number."),
  /** Ours: deeper than {@link JsonCursor#MAX_DEPTH}. */
  TOO_DEEP("JSON nesting depth exceeds maximum allowed limit (100)");

  private final String text;

  JsonError(String text) {
    this.text = text;
  }

  /** Returns the words. */
  public String text() {
    return text;
  }
}
