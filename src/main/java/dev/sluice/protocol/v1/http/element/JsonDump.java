package dev.sluice.protocol.v1.http.element;

import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonNumber;
import dev.sluice.protocol.codec.JsonString;
import dev.sluice.transport.Body;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;

/**
 * Shows a JSON value in a message as TensorFlow Serving does: objects indented by four, arrays on
 * one line, cut off after 256 bytes. The value was checked to be JSON before.
 */
public final class JsonDump {
  /**
   * Nothing is begun after so many bytes. What was begun is written whole, strings up to their
   * limit.
   */
  private static final int LIMIT = 256;

  /** Bytes of one string that are shown: a text for people need not repeat a file. */
  private static final int MOST_OF_STRING = 16 * 1024;

  /** Powers of ten from which on, or below which, numbers are written with an exponent. */
  private static final int LARGEST_PLAIN_EXPONENT = 21;

  private static final int SMALLEST_PLAIN_EXPONENT = -6;

  private final JsonCursor in;
  private final StringBuilder out = new StringBuilder();
  private int bytes;

  private JsonDump(JsonCursor in) {
    this.in = in;
  }

  /** Returns the value that begins at a position. */
  public static String of(Body body, int position) {
    var in = new JsonCursor(body);
    in.seek(position);
    var dump = new JsonDump(in);
    dump.value(0);
    return dump.out.toString();
  }

  private boolean isFull() {
    return bytes >= LIMIT;
  }

  private void put(String text) {
    if (!isFull()) {
      out.append(text);
      bytes += text.length() + text.codePoints().map(JsonDump::furtherBytes).sum();
    }
  }

  /** UTF-8 bytes of a character beyond its first 16-bit unit. */
  private static int furtherBytes(int codePoint) {
    if (codePoint < 0x80) {
      return 0;
    }
    return codePoint < 0x800 ? 1 : 2;
  }

  private void value(int depth) {
    switch (in.peek()) {
      case OBJECT -> object(depth + 1);
      case ARRAY -> array(depth + 1);
      case STRING -> put(quoted(in.string()));
      case NUMBER -> put(number(in.number()));
      case TRUE, FALSE -> put(in.bool() ? "true" : "false");
      case NULL -> {
        in.nothing();
        put("null");
      }
    }
  }

  private void object(int depth) {
    put("{");
    in.beginObject();
    boolean some = false;
    while (!isFull() && in.nextKey()) {
      put((some ? ",\n" : "\n") + indent(depth) + quoted(in.key()) + ": ");
      value(depth);
      some = true;
    }
    put(some ? "\n" + indent(depth - 1) + "}" : "}");
  }

  private void array(int depth) {
    put("[");
    in.beginArray();
    boolean some = false;
    while (!isFull() && in.nextElement()) {
      if (some) {
        put(", ");
      }
      value(depth);
      some = true;
    }
    put("]");
  }

  private static String indent(int depth) {
    return "    ".repeat(depth);
  }

  private static String quoted(JsonString string) {
    return quoted(
        new String(
            string.bytes(),
            string.offset(),
            Math.min(string.length(), MOST_OF_STRING),
            StandardCharsets.UTF_8));
  }

  private static String quoted(String text) {
    var quoted = new StringBuilder(text.length() + 2).append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"', '\\' -> quoted.append('\\').append(c);
        case '\b' -> quoted.append("\\b");
        case '\f' -> quoted.append("\\f");
        case '\n' -> quoted.append("\\n");
        case '\r' -> quoted.append("\\r");
        case '\t' -> quoted.append("\\t");
        default -> quoted.append(c < ' ' ? "\\u%04X".formatted((int) c) : String.valueOf(c));
      }
    }
    return quoted.append('"').toString();
  }

  private static String number(JsonNumber number) {
    if (number.isLong() || number.isUnsignedLong()) {
      return number.toText();
    }
    double value = number.toDouble();
    return Double.isFinite(value) && value != 0 ? decimal(value) : Double.toString(value);
  }

  /** Returns the shortest digits, without an exponent as long as they are not many. */
  private static String decimal(double value) {
    BigDecimal digits = new BigDecimal(Double.toString(value)).stripTrailingZeros();
    int exponent = digits.precision() - digits.scale();
    if (exponent > LARGEST_PLAIN_EXPONENT || exponent <= SMALLEST_PLAIN_EXPONENT) {
      String point = digits.precision() == 1 ? "" : ".";
      String text = digits.unscaledValue().abs().toString();
      String sign = value < 0 ? "-" : "";
      return sign + text.charAt(0) + point + text.substring(1) + "e" + (exponent - 1);
    }
    String plain = digits.toPlainString();
    return plain.indexOf('.') < 0 ? plain + ".0" : plain;
  }
}
