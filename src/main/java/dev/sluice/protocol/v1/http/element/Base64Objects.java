package dev.sluice.protocol.v1.http.element;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.codec.JsonString;
import java.util.Arrays;
import java.util.Base64;

/**
 * Byte strings as {@code {"b64":"..."}}: one member of that name, and it is a string. Any other
 * object is none.
 */
public final class Base64Objects {
  private static final String KEY = "b64";

  private Base64Objects() {}

  /** Returns whether the next value is such an object. The cursor stays before it. */
  public static boolean isNext(JsonCursor in) {
    if (in.peek() != Kind.OBJECT) {
      return false;
    }
    int before = in.position();
    in.beginObject();
    boolean is = in.nextKey() && in.keyIs(KEY) && in.peek() == Kind.STRING;
    if (is) {
      in.skipValue();
      is = !in.nextKey();
    }
    in.seek(before);
    return is;
  }

  /**
   * Reads the object, for which {@link #isNext} was true.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it is not standard base64
   */
  public static byte[] read(JsonCursor in) {
    in.beginObject();
    in.nextKey();
    byte[] decoded = decode(in.string());
    in.nextKey();
    return decoded;
  }

  /** Padding may be left out, white space may be anywhere; nothing else is forgiven. */
  private static byte[] decode(JsonString text) {
    byte[] digits = new byte[text.length()];
    int count = 0;
    for (int i = text.offset(); i < text.offset() + text.length(); i++) {
      byte c = text.bytes()[i];
      if (!isSpace(c)) {
        digits[count++] = c;
      }
    }
    try {
      return Base64.getDecoder().decode(Arrays.copyOf(digits, count));
    } catch (IllegalArgumentException e) {
      throw InferenceException.invalid("Unable to base64 decode");
    }
  }

  private static boolean isSpace(byte c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
  }
}
