package dev.sluice.protocol.codec;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.Rejection;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.transport.Body;
import org.jspecify.annotations.Nullable;

/**
 * Any JSON: what is read value by value is what is passed over in one go; a number is the one that
 * the JDK reads; a text that was read is the same when it is written and read again.
 */
final class JsonTextFuzz implements FuzzTarget {
  @Override
  public void accept(byte[] input) {
    var passed = new JsonCursor(Body.of(input));
    Integer skipped = Rejection.part(JsonException.class, () -> skip(passed));
    var walked = new JsonCursor(Body.of(input));
    Integer read = Rejection.part(JsonException.class, () -> walk(walked));
    if (skipped != null && read != null && !skipped.equals(read)) {
      throw new AssertionError("passed over to " + skipped + ", read to " + read);
    }
    if (skipped == null && read != null) {
      throw new AssertionError("read, but not passed over");
    }
  }

  private static @Nullable Integer skip(JsonCursor in) {
    in.skipValue();
    return in.position();
  }

  private static @Nullable Integer walk(JsonCursor in) {
    value(in, 0);
    return in.position();
  }

  private static void value(JsonCursor in, int depth) {
    Kind kind = in.peek();
    if (depth == JsonCursor.MAX_DEPTH && (kind == Kind.OBJECT || kind == Kind.ARRAY)) {
      throw new JsonException(JsonError.TOO_DEEP, in.position());
    }
    switch (kind) {
      case OBJECT -> {
        in.beginObject();
        while (in.nextKey()) {
          requireRoundTrip(in.key());
          value(in, depth + 1);
        }
      }
      case ARRAY -> {
        in.beginArray();
        while (in.nextElement()) {
          value(in, depth + 1);
        }
      }
      case STRING -> requireRoundTrip(in.string().toText());
      case NUMBER -> requireNumber(in.number());
      case TRUE, FALSE -> in.bool();
      case NULL -> in.nothing();
    }
  }

  private static void requireNumber(JsonNumber number) {
    String text = number.toText();
    if (text.indexOf('N') >= 0 || text.indexOf('I') >= 0) {
      return;
    }
    double wanted = Double.parseDouble(text);
    if (Double.isInfinite(wanted)) {
      require(text, Double.isNaN(number.toDouble())); // It throws.
    }
    require(text, number.toDouble() == wanted);
    require(text, number.toFloat() == Float.parseFloat(text));
    if (number.isLong()) {
      require(text, new java.math.BigDecimal(text).longValueExact() == number.toLong());
    }
  }

  private static void requireRoundTrip(String text) {
    var out = new JsonWriter(text.length() + 16).string(text);
    byte[] json = out.toBuffer().getBytes();
    String again = new JsonCursor(Body.of(json)).string().toText();
    require(text, again.equals(text));
  }

  private static void require(String text, boolean holds) {
    if (!holds) {
      throw new AssertionError("'" + text + "' is read as something else");
    }
  }
}
