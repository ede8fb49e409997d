package dev.sluice.protocol.oip.grpc;

import com.google.protobuf.CodedInputStream;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import dev.sluice.protocol.oip.Excerpt;
import dev.sluice.protocol.oip.RequestParameters;
import dev.sluice.protocol.oip.SharedMemoryParameters;
import dev.sluice.transport.Body;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * One entry of a map of parameters.
 *
 * @param name its key
 * @param value its value; null if none of the choices was set
 */
record WireParameter(String name, @Nullable ParameterValue value) {
  // The entry of a map.
  private static final int KEY = 1 << 3 | 2;
  private static final int VALUE = 2 << 3 | 2;

  // InferParameter.
  private static final int BOOL = 1 << 3;
  private static final int INT64 = 2 << 3;
  private static final int STRING = 3 << 3 | 2;
  private static final int DOUBLE = 4 << 3 | 1;
  private static final int UINT64 = 5 << 3;

  static WireParameter read(Body entry) throws IOException {
    CodedInputStream in = InferMessageTags.open(entry);
    String name = "";
    @Nullable ParameterValue value = null;
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      switch (tag) {
        case KEY -> name = in.readStringRequireUtf8();
        case VALUE -> value = value(InferMessageTags.slice(in, entry));
        default -> InferMessageTags.skip(in, tag);
      }
    }
    return new WireParameter(name, value);
  }

  private static @Nullable ParameterValue value(Body message) throws IOException {
    CodedInputStream in = InferMessageTags.open(message);
    @Nullable ParameterValue value = null;
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      switch (tag) {
        case BOOL -> value = new ParameterValue.Flag(in.readBool());
        case INT64 -> value = new ParameterValue.Whole(in.readInt64(), false);
        case STRING -> value = new ParameterValue.Text(in.readStringRequireUtf8());
        case DOUBLE -> value = new ParameterValue.Fraction(in.readDouble());
        case UINT64 -> value = new ParameterValue.Whole(in.readUInt64(), true);
        default -> InferMessageTags.skip(in, tag);
      }
    }
    return value;
  }

  /** Puts the parameter among those of its request. */
  void putInto(RequestParameters parameters) {
    if (value == null || (value instanceof ParameterValue.Whole whole && !mayBe(whole))) {
      throw InferenceException.invalid(
          "parameter '"
              + Excerpt.of(name)
              + "' has invalid type. It should be either 'int', 'bool', or 'string'.");
    }
    parameters.put(name, value);
  }

  /** Unsigned numbers are for what is counted; Triton takes them for nothing else. */
  private boolean mayBe(ParameterValue.Whole whole) {
    return !whole.unsigned() || name.equals("priority") || name.equals("sequence_id");
  }

  /** Puts the parameter among those of its input or output that say where it lies. */
  void putInto(SharedMemoryParameters.Reader shared) {
    shared.put(name, value);
  }

  /**
   * Returns how many of an output's best elements are to be returned.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it is no number above 0
   */
  int classes() {
    if (!(value instanceof ParameterValue.Whole(long number, boolean unsigned)) || unsigned) {
      throw InferenceException.invalid(wrongType(name, RequestParameters.Wanted.UNSIGNED));
    }
    if (number <= 0) {
      throw InferenceException.invalid(
          "invalid value for 'classification' parameter, expected > 0. Got " + number);
    }
    return (int) Math.min(number, Integer.MAX_VALUE);
  }

  /** Triton's words for a parameter of a wrong type. */
  static String wrongType(String name, RequestParameters.Wanted wanted) {
    String field =
        switch (wanted) {
          case BOOL -> "bool_param";
          case UNSIGNED -> name.equals("priority") ? "int64_param or uint64_param" : "int64_param";
          case SEQUENCE_ID -> "int64_param or string_param";
          case TEXT -> "string_param";
        };
    return "invalid value type for '" + name + "' parameter, expected " + field + ".";
  }
}
