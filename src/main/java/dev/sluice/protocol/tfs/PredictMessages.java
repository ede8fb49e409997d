package dev.sluice.protocol.tfs;

import static dev.sluice.protocol.codec.protobuf.ProtobufTag.KEY_FIELD;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.VALUE_FIELD;

import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ParameterValue;
import dev.sluice.protocol.codec.protobuf.ProtobufWriter;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.PredictResponse;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.proto.TensorShapeProto;
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
  /** The one field of an Int64Value. */
  private static final int VERSION_VALUE = 1;

  private PredictMessages() {}

  /** Returns a serialized PredictRequest. Borrows the request. */
  public static byte[] of(InferenceRequest request) {
    var message =
        new ProtobufWriter()
            .message(
                PredictRequest.MODEL_SPEC_FIELD_NUMBER,
                spec(request.model().id(), request.signature().name()));
    put(request.inputs(), PredictRequest.INPUTS_FIELD_NUMBER, message);
    request
        .options()
        .parameters()
        .forEach((name, value) ->
            message.message(PredictRequest.INPUTS_FIELD_NUMBER, entry(name, proto(value))));
    return message.toByteArray();
  }

  private static ProtobufWriter entry(String name, ProtobufWriter tensor) {
    return new ProtobufWriter().text(KEY_FIELD, name).message(VALUE_FIELD, tensor);
  }

  /** Returns a parameter as Predict has it: a further input, a scalar. */
  private static ProtobufWriter proto(ParameterValue value) {
    return switch (value) {
      case ParameterValue.Flag(boolean flag) ->
          scalar(DataType.BOOL).number(TensorProto.BOOL_VAL_FIELD_NUMBER, flag ? 1 : 0);
      case ParameterValue.Whole(long whole, boolean _) ->
          scalar(DataType.INT64).number(TensorProto.INT64_VAL_FIELD_NUMBER, whole);
      case ParameterValue.Fraction(double fraction) ->
          // The text's number may have more digits than any float.
          scalar(DataType.FP64).fixed(TensorProto.DOUBLE_VAL_FIELD_NUMBER, fraction);
      case ParameterValue.Text(String text) ->
          scalar(DataType.BYTES).text(TensorProto.STRING_VAL_FIELD_NUMBER, text);
    };
  }

  private static ProtobufWriter scalar(DataType type) {
    return new ProtobufWriter()
        .number(TensorProto.DTYPE_FIELD_NUMBER, TensorflowTypes.number(type))
        .message(TensorProto.TENSOR_SHAPE_FIELD_NUMBER, new ProtobufWriter());
  }

  /** Returns a serialized PredictResponse. Borrows the response. */
  public static byte[] of(InferenceResponse response) {
    var message = new ProtobufWriter();
    put(response.outputs(), PredictResponse.OUTPUTS_FIELD_NUMBER, message);
    return message
        .message(
            PredictResponse.MODEL_SPEC_FIELD_NUMBER,
            spec(response.model(), response.signature().name()))
        .toByteArray();
  }

  /** Returns a ModelSpec; an empty signature is left out. */
  static ProtobufWriter spec(ModelId model, String signature) {
    var version = new ProtobufWriter().number(VERSION_VALUE, model.version());
    var spec =
        new ProtobufWriter()
            .text(ModelSpec.NAME_FIELD_NUMBER, model.name())
            .message(ModelSpec.VERSION_FIELD_NUMBER, version);
    return signature.isEmpty() ? spec : spec.text(ModelSpec.SIGNATURE_NAME_FIELD_NUMBER, signature);
  }

  private static void put(List<NamedTensor> tensors, int field, ProtobufWriter message) {
    for (NamedTensor tensor : tensors) {
      message.message(field, entry(tensor.name(), proto(tensor.tensor())));
    }
  }

  private static ProtobufWriter proto(Tensor tensor) {
    var shape = new ProtobufWriter();
    for (long dim : tensor.shape().dims()) {
      shape.message(
          TensorShapeProto.DIM_FIELD_NUMBER,
          new ProtobufWriter().number(TensorShapeProto.Dim.SIZE_FIELD_NUMBER, dim));
    }
    var proto =
        new ProtobufWriter()
            .number(TensorProto.DTYPE_FIELD_NUMBER, TensorflowTypes.number(tensor.type()))
            .message(TensorProto.TENSOR_SHAPE_FIELD_NUMBER, shape);
    if (tensor.type() != DataType.BYTES) {
      return proto.bytes(
          TensorProto.TENSOR_CONTENT_FIELD_NUMBER,
          tensor.data(),
          0,
          Math.toIntExact(tensor.byteSize()));
    }
    for (var elements = new BytesElements(tensor); elements.next(); ) {
      proto.bytes(
          TensorProto.STRING_VAL_FIELD_NUMBER,
          elements.data(),
          elements.offset(),
          elements.length());
    }
    return proto;
  }
}
