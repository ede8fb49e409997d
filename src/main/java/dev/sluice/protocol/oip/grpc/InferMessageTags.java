package dev.sluice.protocol.oip.grpc;

import static dev.sluice.protocol.codec.protobuf.ProtobufTag.DELIMITED;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.VARINT;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest.InferInputTensor;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest.InferRequestedOutputTensor;

/** The tags of the fields of inference requests. */
final class InferMessageTags {
  // ModelInferRequest.
  static final int MODEL_NAME = ModelInferRequest.MODEL_NAME_FIELD_NUMBER << 3 | DELIMITED;
  static final int MODEL_VERSION = ModelInferRequest.MODEL_VERSION_FIELD_NUMBER << 3 | DELIMITED;
  static final int ID = ModelInferRequest.ID_FIELD_NUMBER << 3 | DELIMITED;
  static final int PARAMETERS = ModelInferRequest.PARAMETERS_FIELD_NUMBER << 3 | DELIMITED;
  static final int INPUTS = ModelInferRequest.INPUTS_FIELD_NUMBER << 3 | DELIMITED;
  static final int OUTPUTS = ModelInferRequest.OUTPUTS_FIELD_NUMBER << 3 | DELIMITED;
  static final int RAW_INPUT_CONTENTS =
      ModelInferRequest.RAW_INPUT_CONTENTS_FIELD_NUMBER << 3 | DELIMITED;

  // InferInputTensor.
  static final int NAME = InferInputTensor.NAME_FIELD_NUMBER << 3 | DELIMITED;
  static final int DATATYPE = InferInputTensor.DATATYPE_FIELD_NUMBER << 3 | DELIMITED;
  static final int SHAPE = InferInputTensor.SHAPE_FIELD_NUMBER << 3 | VARINT;
  static final int SHAPE_PACKED = InferInputTensor.SHAPE_FIELD_NUMBER << 3 | DELIMITED;
  static final int TENSOR_PARAMETERS = InferInputTensor.PARAMETERS_FIELD_NUMBER << 3 | DELIMITED;
  static final int CONTENTS = InferInputTensor.CONTENTS_FIELD_NUMBER << 3 | DELIMITED;

  // InferRequestedOutputTensor.
  static final int OUTPUT_NAME = InferRequestedOutputTensor.NAME_FIELD_NUMBER << 3 | DELIMITED;
  static final int OUTPUT_PARAMETERS =
      InferRequestedOutputTensor.PARAMETERS_FIELD_NUMBER << 3 | DELIMITED;

  private InferMessageTags() {}

  /** Returns the error for a message that is not protobuf. */
  static InferenceException malformed(Exception failure) {
    return InferenceException.invalid(
        "failed to parse the request message: " + failure.getMessage());
  }
}
