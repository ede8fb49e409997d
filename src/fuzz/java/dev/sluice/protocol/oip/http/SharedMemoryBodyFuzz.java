package dev.sluice.protocol.oip.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.Rejection;
import dev.sluice.inference.access.Caller;
import dev.sluice.protocol.oip.FuzzedRegions;
import dev.sluice.transport.Body;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;

/**
 * Bodies that register a region of shared memory; a line in front has its name. What is registered
 * is a part of the one file that may be, and the status, as another parser reads it, says which.
 */
final class SharedMemoryBodyFuzz implements FuzzTarget {
  private static final JsonMapper JSON = new JsonMapper();

  private final FuzzedRegions regions = new FuzzedRegions();
  private final SharedMemoryRoutes routes = new SharedMemoryRoutes(regions.regions());

  @Override
  public void accept(byte[] input) throws IOException {
    var bytes = new InputBytes(input);
    String name = bytes.line();
    Body body = Body.of(bytes.rest());
    Buffer status =
        Rejection.request(() -> {
          routes.register(Caller.SERVER, name, body);
          return SharedMemoryRoutes.status(regions.requirePart(name));
        });
    if (status != null) {
      JsonNode region = JSON.readTree(status.getBytes()).path(0);
      if (!region.path("name").asText().equals(name)) {
        throw new AssertionError("'" + name + "' is listed as " + region);
      }
    }
    regions.clear();
  }
}
