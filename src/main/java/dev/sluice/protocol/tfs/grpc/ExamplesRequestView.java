package dev.sluice.protocol.tfs.grpc;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.tfs.grpc.wire.ExampleList;
import dev.sluice.protocol.tfs.grpc.wire.ModelSpecReader;
import dev.sluice.protocol.tfs.grpc.wire.RequestedModel;
import dev.sluice.protocol.tfs.grpc.wire.WireReader;
import dev.sluice.transport.Body;
import java.io.IOException;

/**
 * A ClassificationRequest or RegressionRequest, which are alike.
 *
 * @param model the model that is asked
 */
record ExamplesRequestView(RequestedModel model, ExampleList examples) {
  private static final int MODEL_SPEC = 1 << 3 | 2;
  private static final int INPUT = 2 << 3 | 2;

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
      var reader = new WireReader(message);
      for (int tag = reader.tag(); tag != 0; tag = reader.tag()) {
        switch (tag) {
          case MODEL_SPEC -> spec.add(reader.bytes());
          case INPUT -> examples.add(reader.bytes());
          default -> reader.skip(tag);
        }
      }
    } catch (IOException e) {
      throw InferenceException.invalid("the message is not a " + type + ": " + e.getMessage());
    }
    return new ExamplesRequestView(spec.get(), examples);
  }
}
