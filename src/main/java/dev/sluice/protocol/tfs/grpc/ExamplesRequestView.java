package dev.sluice.protocol.tfs.grpc;

import static dev.sluice.protocol.codec.protobuf.ProtobufTag.DELIMITED;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.protobuf.ProtobufException;
import dev.sluice.protocol.codec.protobuf.ProtobufReader;
import dev.sluice.protocol.tfs.grpc.proto.ClassificationRequest;
import dev.sluice.protocol.tfs.grpc.wire.ExampleList;
import dev.sluice.protocol.tfs.grpc.wire.ModelSpecReader;
import dev.sluice.protocol.tfs.grpc.wire.RequestedModel;
import dev.sluice.transport.Body;

/**
 * A ClassificationRequest or RegressionRequest, which are alike.
 *
 * @param model the model that is asked
 */
record ExamplesRequestView(RequestedModel model, ExampleList examples) {
  private static final int MODEL_SPEC =
      ClassificationRequest.MODEL_SPEC_FIELD_NUMBER << 3 | DELIMITED;
  private static final int INPUT = ClassificationRequest.INPUT_FIELD_NUMBER << 3 | DELIMITED;

  /**
   * Reads a message.
   *
   * @param type its name, for texts
   * @throws InferenceException with INVALID_ARGUMENT if it is none, or names no model
   */
  static ExamplesRequestView read(String type, Body message) {
    var spec = new ModelSpecReader();
    var examples = new ExampleList();
    try {
      var reader = new ProtobufReader(message);
      for (int tag = reader.tag(); tag != 0; tag = reader.tag()) {
        switch (tag) {
          case MODEL_SPEC -> spec.add(reader.bytes());
          case INPUT -> examples.add(reader.bytes());
          default -> reader.skip(tag);
        }
      }
    } catch (ProtobufException e) {
      throw InferenceException.invalid("the message is not a " + type + ": " + e.getMessage());
    }
    return new ExamplesRequestView(spec.get(), examples);
  }
}
