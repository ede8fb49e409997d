package dev.sluice.protocol.tfs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import java.util.List;

/**
 * Writes requests and responses that came another way as the messages of Predict.
 *
 * <p>Only for request logs: the hot path never builds these.
 */
public final class PredictMessages {
  private static final int MODEL_SPEC = 1;
  private static final int INPUTS = 2;
  private static final int OUTPUTS = 1;
  private static final int SPEC_OF_RESPONSE = 2;

  private PredictMessages() {}

  /** Returns a serialized PredictRequest. Borrows the request. */
  public static byte[] of(InferenceRequest request) {
    var message =
        new ProtobufBuilder()
            .message(MODEL_SPEC, spec(request.model().id(), request.signature().name()));
    put(request.inputs(), INPUTS, message);
    return message.toByteArray();
  }

  /** Returns a serialized PredictResponse. Borrows the response. */
  public static byte[] of(InferenceResponse response) {
    var message = new ProtobufBuilder();
    put(response.outputs(), OUTPUTS, message);
    return message
        .message(SPEC_OF_RESPONSE, spec(response.model(), response.signature().name()))
        .toByteArray();
  }

  private static ProtobufBuilder spec(ModelId model, String signature) {
    return new ProtobufBuilder()
        .text(1, model.name())
        .message(2, new ProtobufBuilder().number(1, model.version()))
        .text(3, signature);
  }

  private static void put(List<NamedTensor> tensors, int field, ProtobufBuilder message) {
    for (NamedTensor tensor : tensors) {
      message.message(
          field, new ProtobufBuilder().text(1, tensor.name()).message(2, proto(tensor.tensor())));
    }
  }

  private static ProtobufBuilder proto(Tensor tensor) {
    var shape = new ProtobufBuilder();
    for (long dim : tensor.shape().dims()) {
      shape.message(2, new ProtobufBuilder().number(1, dim));
    }
    var proto =
        new ProtobufBuilder().number(1, TensorflowTypes.number(tensor.type())).message(2, shape);
    if (tensor.type() != DataType.BYTES) {
      return proto.bytes(4, tensor.data().toArray(JAVA_BYTE));
    }
    for (var elements = new BytesElements(tensor); elements.next(); ) {
      proto.bytes(8, elements.data(), elements.offset(), elements.length());
    }
    return proto;
  }
}
