package dev.sluice.protocol.oip.grpc;

import static dev.sluice.protocol.codec.protobuf.ProtobufTag.KEY_FIELD;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.VALUE_FIELD;

import dev.sluice.inference.ParameterValue;
import dev.sluice.protocol.codec.protobuf.ProtobufWriter;
import dev.sluice.protocol.oip.grpc.proto.InferParameter;
import dev.sluice.protocol.oip.grpc.proto.ModelInferResponse;
import java.util.Map;

/** Writes what an answer says besides its tensors. */
final class ResponseParameterFields {
  private ResponseParameterFields() {}

  /** Returns the field of an answer that holds them, entry by entry. */
  static byte[] encode(Map<String, ParameterValue> parameters) {
    var out = new ProtobufWriter();
    parameters.forEach((name, value) ->
        out.message(
            ModelInferResponse.PARAMETERS_FIELD_NUMBER,
            new ProtobufWriter().text(KEY_FIELD, name).message(VALUE_FIELD, parameter(value))));
    return out.toByteArray();
  }

  /** Sequences have signed ids in this form, as in requests. */
  private static ProtobufWriter parameter(ParameterValue value) {
    var out = new ProtobufWriter();
    return switch (value) {
      case ParameterValue.Flag(boolean set) ->
          out.number(InferParameter.BOOL_PARAM_FIELD_NUMBER, set ? 1 : 0);
      case ParameterValue.Whole(long number, _) ->
          out.number(InferParameter.INT64_PARAM_FIELD_NUMBER, number);
      case ParameterValue.Fraction(double number) ->
          out.fixed(InferParameter.DOUBLE_PARAM_FIELD_NUMBER, number);
      case ParameterValue.Text(String text) ->
          out.text(InferParameter.STRING_PARAM_FIELD_NUMBER, text);
    };
  }
}
