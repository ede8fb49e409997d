package dev.sluice.protocol.oip.grpc;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.Rejection;
import dev.sluice.fuzz.SameTensors;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.protocol.oip.FuzzedModels;
import dev.sluice.protocol.oip.OipServer;
import dev.sluice.testing.FakeExchange;
import dev.sluice.testing.NativeBodies;
import dev.sluice.testing.OipServers;
import dev.sluice.transport.Body;
import java.util.Map;

/** ModelInfer of Open Inference V2, typed and raw; in native memory and on the heap. */
final class OipMessageFuzz implements FuzzTarget {
  private final FuzzedModels models = new FuzzedModels();
  private final OipServer server = OipServers.of(models.planes(), () -> 0);

  @Override
  public void accept(byte[] input) {
    InferenceRequest onHeap = Rejection.request(() -> decode(Body.of(input)));
    try (Body landed = NativeBodies.body(input, input.length / 2)) {
      SameTensors.require(onHeap, Rejection.request(() -> decode(landed)));
    }
    models.requireReleased();
  }

  private InferenceRequest decode(Body message) {
    return InferRequestReader.decode(server, message, new FakeExchange(), Map.of(), null).request();
  }
}
