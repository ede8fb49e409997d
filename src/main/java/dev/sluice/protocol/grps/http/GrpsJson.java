package dev.sluice.protocol.grps.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.codec.JsonException;

/** Reads what all messages of grps have in common in JSON. */
final class GrpsJson {
  /** Characters of a wrong value that a text quotes. */
  private static final int QUOTED = 40;

  private GrpsJson() {}

  /** Returns the error for a text that is not JSON, in the native server's words and more. */
  static InferenceException malformed(JsonException e) {
    return InferenceException.invalid(
        "Parse json failed. %s (byte %d)".formatted(e.getMessage(), e.offset()));
  }

  /** Returns whether the current member has this name, in either of the two spellings. */
  static boolean keyIs(JsonCursor in, String name, String camelCase) {
    return in.keyIs(name) || in.keyIs(camelCase);
  }

  /** Returns whether the next value is anything but null, which stands for nothing. */
  static boolean isPresent(JsonCursor in) {
    return in.peek() != Kind.NULL;
  }

  static void requireObject(JsonCursor in, String what) {
    if (in.peek() != Kind.OBJECT) {
      throw wrong(in, what, "an object");
    }
  }

  static void requireArray(JsonCursor in, String what) {
    if (in.peek() != Kind.ARRAY) {
      throw wrong(in, what, "a list");
    }
  }

  static String text(JsonCursor in, String what) {
    if (in.peek() != Kind.STRING) {
      throw wrong(in, what, "text");
    }
    return in.string().toText();
  }

  /** Says that the next value is wrong. */
  static InferenceException wrong(JsonCursor in, String what, String wanted) {
    int from = in.position();
    in.skipValue();
    String got = in.text(from, in.position());
    String quoted = got.length() > QUOTED ? got.substring(0, QUOTED) + "..." : got;
    return InferenceException.invalid("%s: got %s, wanted %s".formatted(what, quoted, wanted));
  }
}
