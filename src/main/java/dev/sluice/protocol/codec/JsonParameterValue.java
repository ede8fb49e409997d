package dev.sluice.protocol.codec;

import dev.sluice.inference.BoundedText;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import java.util.Map;
import java.util.Optional;

/**
 * Reads the parameters of a request from JSON, in every protocol that has it. A list or an object
 * is a value only where a parameter's text is JSON itself: it is then that text.
 */
public final class JsonParameterValue {
  private static final int SHOWN = 40;

  /** Parameters that may be written as JSON instead of a text that holds it. */
  private static final Map<String, Kind> STRUCTURED =
      Map.of("stop", Kind.ARRAY, "logit_bias", Kind.OBJECT, "json_schema", Kind.OBJECT);

  private JsonParameterValue() {}

  /**
   * Reads the next value as that of a parameter.
   *
   * @return empty if it can be none; the cursor stands before it then
   * @throws InferenceException with INVALID_ARGUMENT if it is JSON of another form than the
   *     parameter has, or a whole number that 64 bits do not hold: a model would see another one
   */
  public static Optional<ParameterValue> read(String name, JsonCursor in) {
    return switch (in.peek()) {
      case STRING -> Optional.of(new ParameterValue.Text(in.string().toText()));
      case TRUE, FALSE -> Optional.of(new ParameterValue.Flag(in.bool()));
      case NUMBER -> Optional.of(number(name, in.number()));
      case OBJECT, ARRAY ->
          STRUCTURED.containsKey(name) ? Optional.of(structured(name, in)) : Optional.empty();
      case NULL -> Optional.empty();
    };
  }

  /** Returns the same for a parameter that is counted without a sign. */
  public static Optional<ParameterValue> readUnsigned(String name, JsonCursor in) {
    if (in.peek() != Kind.NUMBER) {
      return read(name, in);
    }
    JsonNumber number = in.number();
    if (number.isUnsignedLong() && !number.isLong()) {
      return Optional.of(new ParameterValue.Whole(number.toUnsignedLong(), true));
    }
    return Optional.of(number(name, number));
  }

  private static ParameterValue structured(String name, JsonCursor in) {
    int from = in.position();
    boolean list = STRUCTURED.get(name) == Kind.ARRAY;
    boolean fits = list ? isListOfTexts(in) : in.peek() == Kind.OBJECT;
    in.seek(from);
    in.skipValue();
    String json = in.text(from, in.position()).strip();
    if (!fits) {
      throw InferenceException.invalid(
          "parameter \"%s\" is %s; wanted a text, or %s"
              .formatted(
                  name, BoundedText.cut(json, SHOWN), list ? "a list of texts" : "an object"));
    }
    return new ParameterValue.Text(json);
  }

  private static boolean isListOfTexts(JsonCursor in) {
    if (in.peek() != Kind.ARRAY) {
      return false;
    }
    boolean texts = true;
    in.beginArray();
    while (in.nextElement()) {
      texts &= in.peek() == Kind.STRING;
      in.skipValue();
    }
    return texts;
  }

  private static ParameterValue number(String name, JsonNumber number) {
    if (number.isLong()) {
      return new ParameterValue.Whole(number.toLong(), false);
    }
    if (number.isInteger()) {
      throw InferenceException.invalid(
          "parameter \"%s\" is %s; wanted a whole number from %d to %d"
              .formatted(
                  BoundedText.cut(name, SHOWN),
                  BoundedText.cut(number.toText(), SHOWN),
                  Long.MIN_VALUE,
                  Long.MAX_VALUE));
    }
    return new ParameterValue.Fraction(number.toDouble());
  }
}
