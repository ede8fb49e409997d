package dev.sluice.protocol.oip.http;

import dev.sluice.benchmark.ServedForBenchmark;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.access.Caller;
import dev.sluice.protocol.oip.OipModels;
import dev.sluice.protocol.oip.OipServer;
import dev.sluice.testing.OipServers;
import dev.sluice.transport.Body;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Acquires the model and decodes a body for it, as the protocol handler does. */
final class V2Decoding {
  private final ModelSelector selector = new ModelSelector.Latest(ServedForBenchmark.MODEL);
  private final OipServer server;

  V2Decoding(ServedForBenchmark served) {
    server = OipServers.of(served.planes(), System::nanoTime);
  }

  InferDecoder.Decoded decode(Body body, @Nullable String jsonLength) {
    var model = OipModels.admit(server.data(), selector, Caller.SERVER);
    return new InferDecoder(server, model, Deadline.NONE, "benchmark", Map.of(), null)
        .decode(body, jsonLength);
  }
}
