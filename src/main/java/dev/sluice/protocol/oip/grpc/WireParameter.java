package dev.sluice.protocol.oip.grpc;

import static dev.sluice.protocol.codec.protobuf.ProtobufTag.DELIMITED;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.FIXED64;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.KEY_FIELD;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.VALUE_FIELD;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.VARINT;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import dev.sluice.protocol.codec.protobuf.ProtobufReader;
import dev.sluice.protocol.oip.Excerpt;
import dev.sluice.protocol.oip.RequestParameters;
import dev.sluice.protocol.oip.SharedMemoryParameters;
import dev.sluice.protocol.oip.grpc.proto.InferParameter;
import dev.sluice.transport.Body;
import org.jspecify.annotations.Nullable;

/**
 * One entry of a map of parameters.
 *
 * @param name its key
 * @param value its value; null if none of the choices was set
 */
record WireParameter(String name, @Nullable ParameterValue value) {
  private static final int KEY = KEY_FIELD << 3 | DELIMITED;
  private static final int VALUE = VALUE_FIELD << 3 | DELIMITED;

  private static final int BOOL = InferParameter.BOOL_PARAM_FIELD_NUMBER << 3 | VARINT;
  private static final int INT64 = InferParameter.INT64_PARAM_FIELD_NUMBER << 3 | VARINT;
  private static final int STRING = InferParameter.STRING_PARAM_FIELD_NUMBER << 3 | DELIMITED;
  private static final int DOUBLE = InferParameter.DOUBLE_PARAM_FIELD_NUMBER << 3 | FIXED64;
  private static final int UINT64 = InferParameter.UINT64_PARAM_FIELD_NUMBER << 3 | VARINT;

  static WireParameter read(Body entry) {
    var in = new ProtobufReader(entry);
    String name = "";
    @Nullable ParameterValue value = null;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      switch (tag) {
        case KEY -> name = in.text();
        case VALUE -> value = value(in.bytes());
        default -> in.skip(tag);
      }
    }
    return new WireParameter(name, value);
  }

  private static @Nullable ParameterValue value(Body message) {
    var in = new ProtobufReader(message);
    @Nullable ParameterValue value = null;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      switch (tag) {
        case BOOL -> value = new ParameterValue.Flag(in.varint() != 0);
        case INT64 -> value = new ParameterValue.Whole(in.varint(), false);
        case STRING -> value = new ParameterValue.Text(in.text());
        case DOUBLE -> value = new ParameterValue.Fraction(Double.longBitsToDouble(in.fixed64()));
        case UINT64 -> value = new ParameterValue.Whole(in.varint(), true);
        default -> in.skip(tag);
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
    if (name.equals("sequence_id")
        && value instanceof ParameterValue.Whole(long id, boolean unsigned)
        && id < 0
        && !unsigned) {
      throw InferenceException.invalid(
          "invalid value for 'sequence_id', expected value >= 0. Got " + id);
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
