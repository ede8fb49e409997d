package dev.sluice.protocol.codec;

import dev.sluice.inference.ParameterValue;
import java.util.Optional;
import java.util.Set;

/**
 * Reads the parameters of a request from JSON, in every protocol that has it. A list or an object
 * is a value only where a parameter's text is JSON itself: it is then that text.
 */
public final class JsonParameterValue {
  /** Parameters that may be written as JSON instead of a text that holds it. */
  private static final Set<String> STRUCTURED = Set.of("stop", "logit_bias", "json_schema");

  private JsonParameterValue() {}

  /**
   * Reads the next value as that of a parameter.
   *
   * @return empty if it can be none; the cursor stands before it then
   */
  public static Optional<ParameterValue> read(String name, JsonCursor in) {
    return switch (in.peek()) {
      case STRING -> Optional.of(new ParameterValue.Text(in.string().toText()));
      case TRUE, FALSE -> Optional.of(new ParameterValue.Flag(in.bool()));
      case NUMBER -> Optional.of(number(in.number()));
      case OBJECT, ARRAY ->
          STRUCTURED.contains(name) ? Optional.of(structured(in)) : Optional.empty();
      case NULL -> Optional.empty();
    };
  }

  private static ParameterValue structured(JsonCursor in) {
    int from = in.position();
    in.skipValue();
    return new ParameterValue.Text(in.text(from, in.position()));
  }

  private static ParameterValue number(JsonNumber number) {
    if (number.isLong()) {
      return new ParameterValue.Whole(number.toLong(), false);
    }
    return number.isUnsignedLong()
        ? new ParameterValue.Whole(number.toUnsignedLong(), true)
        : new ParameterValue.Fraction(number.toDouble());
  }
}
