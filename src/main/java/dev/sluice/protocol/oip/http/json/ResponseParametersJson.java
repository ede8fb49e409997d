package dev.sluice.protocol.oip.http.json;

import dev.sluice.inference.ParameterValue;
import dev.sluice.protocol.codec.JsonWriter;
import java.util.Map;

/** Writes what an answer says besides its tensors. */
public final class ResponseParametersJson {
  private ResponseParametersJson() {}

  /** Writes an object. */
  public static void object(Map<String, ParameterValue> parameters, JsonWriter out) {
    char before = '{';
    for (var parameter : parameters.entrySet()) {
      out.raw(before).key(parameter.getKey());
      value(parameter.getValue(), out);
      before = ',';
    }
    out.raw('}');
  }

  /** Writes one value. */
  public static void value(ParameterValue value, JsonWriter out) {
    switch (value) {
      case ParameterValue.Flag(boolean set) -> out.bool(set);
      case ParameterValue.Whole(long number, boolean unsigned) -> {
        if (unsigned) {
          out.unsigned(number);
        } else {
          out.number(number);
        }
      }
      case ParameterValue.Fraction(double number) -> out.number(number);
      case ParameterValue.Text(String text) -> out.string(text);
    }
  }
}
