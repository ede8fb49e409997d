package dev.sluice.text.constraint;

/**
 * Where a byte of JSON is: how many objects are open around it. Immutable; any thread.
 *
 * @param objects that are open
 * @param isString whether it is in a string
 * @param isEscaped whether a backslash is in front of it
 */
record JsonDepth(int objects, boolean isString, boolean isEscaped) {
  /** No object is open. */
  static final JsonDepth OUTSIDE = new JsonDepth(0, false, false);

  /** One object is open. */
  static final JsonDepth WITHIN = OUTSIDE.next('{');

  JsonDepth next(int value) {
    if (isString) {
      boolean escapes = value == '\\' && !isEscaped;
      return new JsonDepth(objects, value != '"' || isEscaped, escapes);
    }
    return switch (value) {
      case '"' -> new JsonDepth(objects, true, false);
      case '{' -> new JsonDepth(objects + 1, false, false);
      case '}' -> new JsonDepth(objects - 1, false, false);
      default -> this;
    };
  }

  /** Returns whether the last object is closed. */
  boolean isEnd() {
    return objects <= 0 && !isString;
  }
}
