package dev.sluice.protocol.tfs.grpc;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ParameterValue;
import dev.sluice.inference.RequestOptions;
import dev.sluice.inference.SequenceStep;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.tfs.grpc.wire.EncodedTensor;
import dev.sluice.protocol.tfs.grpc.wire.TensorDecoder;
import dev.sluice.protocol.tfs.grpc.wire.TensorScanner;
import dev.sluice.protocol.tfs.grpc.wire.WireType;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.Tensor;
import dev.sluice.transport.Body;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Parameters of a Predict request. Its message has no field for them: they are further inputs of
 * one element, named like parameters that the model heeds. An input of that name that the signature
 * has is an input.
 */
final class InputParameters {
  private InputParameters() {}

  /**
   * Removes the parameters from the inputs of a request, and returns them.
   *
   * @throws InferenceException with INVALID_ARGUMENT if one is no single value
   */
  static RequestOptions take(Map<String, Body> inputs, ModelMetadata model, Signature signature) {
    if (model.parameters().isEmpty()) {
      return RequestOptions.NONE;
    }
    Map<String, ParameterValue> taken = new LinkedHashMap<>();
    inputs
        .entrySet()
        .removeIf(input -> {
          String name = input.getKey();
          boolean parameter = model.parameters().contains(name) && signature.input(name).isEmpty();
          if (parameter) {
            taken.put(name, value(TensorScanner.scan(name, input.getValue())));
          }
          return parameter;
        });
    return taken.isEmpty() ? RequestOptions.NONE : new RequestOptions(0, SequenceStep.NONE, taken);
  }

  private static ParameterValue value(EncodedTensor encoded) {
    if (encoded.shape().elementCount() != 1) {
      throw wrong(encoded, "has shape " + encoded.shape());
    }
    try (Tensor tensor = TensorDecoder.decode(encoded)) {
      return value(encoded, tensor);
    }
  }

  private static ParameterValue value(EncodedTensor encoded, Tensor tensor) {
    MemorySegment data = tensor.data();
    WireType type = encoded.type();
    return switch (type) {
      case FLOAT -> new ParameterValue.Fraction(data.get(ValueLayout.JAVA_FLOAT, 0));
      case DOUBLE -> new ParameterValue.Fraction(data.get(ValueLayout.JAVA_DOUBLE, 0));
      case INT32 -> new ParameterValue.Whole(data.get(ValueLayout.JAVA_INT, 0), false);
      case INT64 -> new ParameterValue.Whole(data.get(ValueLayout.JAVA_LONG, 0), false);
      case BOOL -> new ParameterValue.Flag(data.get(ValueLayout.JAVA_BYTE, 0) != 0);
      case STRING -> new ParameterValue.Text(text(tensor));
      default -> throw wrong(encoded, "is " + type.text());
    };
  }

  private static String text(Tensor tensor) {
    var element = new BytesElements(tensor);
    element.next();
    return element.toText();
  }

  private static InferenceException wrong(EncodedTensor tensor, String what) {
    return InferenceException.invalid(
        "input \"%s\" %s; as a parameter of the model it is one float, double, int32, int64, bool or string"
            .formatted(tensor.name(), what));
  }
}
