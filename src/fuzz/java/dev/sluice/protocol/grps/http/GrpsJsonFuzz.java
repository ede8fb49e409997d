package dev.sluice.protocol.grps.http;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.Rejection;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.protocol.grps.FuzzedInputs;
import dev.sluice.protocol.grps.RequestInputs;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.testing.DeclaredModel;
import dev.sluice.transport.Body;
import java.util.List;

/** A message of grps in JSON: a digit for the model, the body. */
final class GrpsJsonFuzz implements FuzzTarget {
  @Override
  public void accept(byte[] input) {
    var bytes = new InputBytes(input);
    DeclaredModel model = bytes.one(FuzzedInputs.MODELS);
    byte[] json = bytes.rest();
    List<NamedTensor> tensors = Rejection.part(JsonException.class, () -> decode(model, json));
    if (tensors != null) {
      NamedTensor.closeAll(tensors);
    }
  }

  private static List<NamedTensor> decode(DeclaredModel model, byte[] json) {
    try (var inputs = new RequestInputs(model)) {
      JsonMessage.scan(Body.of(json), "").decode(inputs);
      return inputs.take();
    }
  }
}
