package dev.sluice.protocol.grps.grpc;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.Rejection;
import dev.sluice.fuzz.SameTensors;
import dev.sluice.protocol.codec.protobuf.ProtobufException;
import dev.sluice.protocol.grps.FuzzedInputs;
import dev.sluice.protocol.grps.RequestInputs;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.testing.DeclaredModel;
import dev.sluice.testing.NativeBodies;
import dev.sluice.transport.Body;
import java.util.List;

/** A GrpsMessage, by gRPC and brpc: a digit for the model; on the heap and in native memory. */
final class GrpsMessageFuzz implements FuzzTarget {
  @Override
  public void accept(byte[] input) {
    var bytes = new InputBytes(input);
    DeclaredModel model = bytes.one(FuzzedInputs.MODELS);
    byte[] message = bytes.rest();
    List<NamedTensor> onHeap = decode(model, Body.of(message));
    try (Body landed = NativeBodies.body(message, message.length / 2)) {
      List<NamedTensor> same = decode(model, landed);
      try {
        SameTensors.require(onHeap, same);
      } finally {
        NamedTensor.closeAll(same);
        NamedTensor.closeAll(onHeap);
      }
    }
  }

  private static List<NamedTensor> decode(DeclaredModel model, Body message) {
    List<NamedTensor> tensors =
        Rejection.part(
            ProtobufException.class,
            () -> {
              try (var inputs = new RequestInputs(model)) {
                WireMessage.scan(message).decode(inputs);
                return inputs.take();
              }
            });
    return tensors == null ? List.of() : tensors;
  }
}
