package dev.sluice.protocol.oip.http.json;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonParameterValue;
import dev.sluice.protocol.oip.Excerpt;
import dev.sluice.protocol.oip.RequestParameters;
import java.util.Set;

/** Reads parameters of a request from JSON. */
public final class JsonParameters {
  /** Parameters that are counted without a sign. */
  private static final Set<String> UNSIGNED = Set.of("sequence_id", "priority", "timeout");

  private JsonParameters() {}

  /**
   * Reads the next value as a parameter of this name.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it can be no parameter, or not this one
   */
  public static void readInto(RequestParameters parameters, String name, JsonCursor in) {
    if (name.equals("headers")) {
      // Reserved: other servers put the request's headers there, of whatever form.
      in.skipValue();
    } else {
      parameters.put(name, value(name, in));
    }
  }

  /**
   * Reads the next value as that of a parameter.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it can be none
   */
  public static ParameterValue value(String name, JsonCursor in) {
    return (UNSIGNED.contains(name)
            ? JsonParameterValue.readUnsigned(name, in)
            : JsonParameterValue.read(name, in))
        .orElseThrow(() ->
            InferenceException.invalid(
                "parameter '"
                    + Excerpt.of(name)
                    + "' has invalid type. It should be either 'int', 'bool', or 'string'."));
  }

  /** Triton's words for a parameter of a wrong type. */
  public static String wrongType(String name, RequestParameters.Wanted wanted) {
    String type =
        switch (wanted) {
          case BOOL -> "boolean";
          case UNSIGNED -> "unsigned-integer";
          case SEQUENCE_ID -> "unsigned-integer or string";
          case TEXT -> "string";
        };
    return "Unable to parse '" + name + "': attempt to access JSON non-" + type + " as " + type;
  }
}
