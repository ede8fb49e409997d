package dev.sluice.protocol.v1.http.element;

import dev.sluice.protocol.codec.JsonCursor.Kind;

/** TensorFlow Serving's names of the kinds of JSON values. */
public final class JsonKindNames {
  private JsonKindNames() {}

  /** Returns the name of a kind of JSON value, for error texts. */
  public static String of(Kind kind) {
    return switch (kind) {
      case OBJECT -> "Object";
      case ARRAY -> "Array";
      case STRING -> "String";
      case NUMBER -> "Number";
      case TRUE -> "True";
      case FALSE -> "False";
      case NULL -> "Null";
    };
  }
}
