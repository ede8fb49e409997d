package dev.sluice.protocol.oip.grpc;

import dev.sluice.inference.ParameterValue;
import dev.sluice.protocol.oip.grpc.proto.InferParameter;
import dev.sluice.protocol.oip.grpc.proto.ModelInferResponse;
import java.util.Map;

/** Writes what an answer says besides its tensors. */
final class ResponseParameterFields {
  private ResponseParameterFields() {}

  /** Returns the field of an answer that holds them, entry by entry. */
  static byte[] encode(Map<String, ParameterValue> parameters) {
    var message = ModelInferResponse.newBuilder();
    parameters.forEach((name, value) -> message.putParameters(name, parameter(value)));
    return message.build().toByteArray();
  }

  /** Sequences have signed ids in this form, as in requests. */
  private static InferParameter parameter(ParameterValue value) {
    var parameter = InferParameter.newBuilder();
    switch (value) {
      case ParameterValue.Flag(boolean set) -> parameter.setBoolParam(set);
      case ParameterValue.Whole(long number, _) -> parameter.setInt64Param(number);
      case ParameterValue.Fraction(double number) -> parameter.setDoubleParam(number);
      case ParameterValue.Text(String text) -> parameter.setStringParam(text);
    }
    return parameter.build();
  }
}
