package dev.sluice.protocol.oip.http;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.Rejection;
import dev.sluice.fuzz.SameTensors;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.access.Caller;
import dev.sluice.protocol.oip.FuzzedModels;
import dev.sluice.protocol.oip.OipModels;
import dev.sluice.protocol.oip.OipServer;
import dev.sluice.testing.NativeBodies;
import dev.sluice.testing.OipServers;
import dev.sluice.transport.Body;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Requests of Open Inference V2 over HTTP: JSON, its binary data, and raw binary requests. A line
 * in front holds a digit for the model and the header with the JSON's length, if there is one; the
 * body in native memory must be the same request as on the heap.
 */
final class OipInferFuzz implements FuzzTarget {
  private final FuzzedModels models = new FuzzedModels();
  private final OipServer server = OipServers.of(models.planes(), () -> 1_000_000);

  @Override
  public void accept(byte[] input) {
    var bytes = new InputBytes(input);
    String model = bytes.one(FuzzedModels.NAMES);
    String line = bytes.line();
    String header = line.isEmpty() ? null : line;
    byte[] body = bytes.rest();
    long at = Math.max(0, BinaryHeader.tensorAt(header));
    InferenceRequest onHeap = Rejection.request(() -> decode(model, Body.of(body), header));
    try (Body landed = NativeBodies.body(body, (int) Math.min(at, body.length))) {
      SameTensors.require(onHeap, Rejection.request(() -> decode(model, landed, header)));
    }
    models.requireReleased();
  }

  private InferenceRequest decode(String name, Body body, @Nullable String header) {
    ModelLease model =
        OipModels.admit(models.planes(), new ModelSelector.Latest(name), Caller.SERVER);
    return model.handOver(lease ->
        new InferDecoder(server, lease, Deadline.NONE, "r", Map.of(), null)
            .decode(body, header)
            .request());
  }
}
