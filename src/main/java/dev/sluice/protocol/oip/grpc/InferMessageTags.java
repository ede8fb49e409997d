package dev.sluice.protocol.oip.grpc;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.sluice.inference.InferenceException;
import dev.sluice.transport.Body;
import java.io.IOException;

/**
 * The fields of inference messages as they lie on the wire, by their tags: a field's number in the
 * upper bits, how it is written in the lower three.
 */
final class InferMessageTags {
  private static final int VARINT = 0;
  private static final int BYTES = 2;

  // ModelInferRequest and, but for the raw contents, ModelInferResponse.
  static final int MODEL_NAME = 1 << 3 | BYTES;
  static final int MODEL_VERSION = 2 << 3 | BYTES;
  static final int ID = 3 << 3 | BYTES;
  static final int PARAMETERS = 4 << 3 | BYTES;
  static final int INPUTS = 5 << 3 | BYTES;
  static final int OUTPUTS = 6 << 3 | BYTES;
  static final int RAW_INPUT_CONTENTS = 7 << 3 | BYTES;
  static final int RESPONSE_OUTPUTS = 5 << 3 | BYTES;
  static final int RAW_OUTPUT_CONTENTS = 6 << 3 | BYTES;

  // InferInputTensor and InferOutputTensor.
  static final int NAME = 1 << 3 | BYTES;
  static final int DATATYPE = 2 << 3 | BYTES;
  static final int SHAPE = 3 << 3 | VARINT;
  static final int SHAPE_PACKED = 3 << 3 | BYTES;
  static final int TENSOR_PARAMETERS = 4 << 3 | BYTES;
  static final int CONTENTS = 5 << 3 | BYTES;

  // InferRequestedOutputTensor.
  static final int OUTPUT_PARAMETERS = 2 << 3 | BYTES;

  private InferMessageTags() {}

  /** Bytes of a message in native memory that are looked at together: more than its heads have. */
  private static final int HEADS = 512;

  /** Opens a message, so that its strings and nested messages are read from its own bytes. */
  static CodedInputStream open(Body message) {
    return message.block() == null
        ? CodedInputStream.newInstance(message.bytes(), message.offset(), message.length())
        : CodedInputStream.newInstance(message.stream(), HEADS);
  }

  /** Returns the bytes of the next field, which is of a length of its own, left where they are. */
  static Body slice(CodedInputStream in, Body message) throws IOException {
    int length = in.readRawVarint32();
    if (length < 0) {
      throw new InvalidProtocolBufferException("a field has a negative length");
    }
    int from = in.getTotalBytesRead();
    in.skipRawBytes(length);
    return message.slice(from, length);
  }

  /** Skips an unknown field. */
  static void skip(CodedInputStream in, int tag) throws IOException {
    if (!in.skipField(tag)) {
      throw new InvalidProtocolBufferException("a group ends that has not begun");
    }
  }

  /** Returns the error for a message that is not protobuf. */
  static InferenceException malformed(IOException failure) {
    return InferenceException.invalid(
        "failed to parse the request message: " + failure.getMessage());
  }
}
