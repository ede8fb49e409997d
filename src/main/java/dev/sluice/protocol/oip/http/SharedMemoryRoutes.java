package dev.sluice.protocol.oip.http;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Caller;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.oip.SharedMemory;
import dev.sluice.protocol.oip.SharedMemoryRegion;
import dev.sluice.protocol.oip.SharedMemoryRegions;
import dev.sluice.protocol.oip.http.OipPath.Resource;
import dev.sluice.protocol.oip.http.json.JsonFields;
import dev.sluice.transport.Body;
import dev.sluice.transport.http.HttpExchange;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Registers and lists regions of shared memory.
 *
 * <p>Opening a file blocks, so registration runs on a worker. Unregistering is idempotent.
 */
record SharedMemoryRoutes(SharedMemoryRegions regions) {
  private static final int OK = 200;

  /** The work of a call that may block: opening a file may take any time. */
  private static final long BLOCKING = Long.MAX_VALUE;

  /** Returns the error for the paths of shared memory where none is served. */
  static InferenceException notServed() {
    return new InferenceException(
        ErrorCode.NOT_FOUND,
        "Not Found: no shared memory is served (setting oip.shared_memory.enabled)");
  }

  /**
   * Answers a request for the system's shared memory.
   *
   * @param name of the region; empty for all
   */
  void answer(HttpExchange exchange, Resource resource, String name) {
    Caller caller = SharedMemory.of(regions, exchange).require();
    switch (resource) {
      case SHARED_STATUS -> exchange.json(OK, status(regions.status(caller, name)));
      case SHARED_REGISTER ->
          exchange
              .body()
              .compose(body ->
                  exchange.compute(
                      BLOCKING,
                      () -> {
                        register(caller, name, body);
                        return name;
                      }))
              .onComplete(
                  _ -> exchange.empty(OK), failure -> OipHttpHandler.fail(exchange, failure));
      default -> {
        if (name.isEmpty()) {
          regions.unregisterAll(caller);
        } else {
          regions.unregister(caller, name);
        }
        exchange.empty(OK);
      }
    }
  }

  /**
   * Registers the region that a body describes. May block.
   *
   * @throws InferenceException as {@link SharedMemoryRegions#register}
   */
  void register(Caller caller, String name, Body body) {
    Registration asked = Registration.read(body);
    regions.register(caller, name, asked.key(), asked.offset(), asked.byteSize());
  }

  /** Answers a request for the memory of GPUs: there is none. */
  void answerCuda(HttpExchange exchange, Resource resource, String name) {
    SharedMemory.of(regions, exchange).require();
    switch (resource) {
      case CUDA_REGISTER -> throw SharedMemory.noCuda(name);
      case CUDA_STATUS -> {
        if (!name.isEmpty()) {
          throw new InferenceException(
              ErrorCode.NOT_FOUND, "Unable to find cuda shared memory region: '" + name + "'");
        }
        exchange.json(OK, Buffer.buffer("[]"));
      }
      default -> exchange.empty(OK);
    }
  }

  static Buffer status(List<SharedMemoryRegion> found) {
    var out = new JsonWriter(64 * (found.size() + 1)).raw('[');
    for (int i = 0; i < found.size(); i++) {
      SharedMemoryRegion region = found.get(i);
      out.raw(i == 0 ? "{\"name\":" : ",{\"name\":").string(region.name());
      out.raw(",\"key\":").string(region.key());
      out.raw(",\"offset\":").number(region.offset());
      out.raw(",\"byte_size\":").number(region.byteSize()).raw('}');
    }
    return out.raw(']').toBuffer();
  }

  /** The body of a registration. */
  private record Registration(String key, long offset, long byteSize) {
    static Registration read(Body body) {
      @Nullable String key = null;
      long offset = 0;
      long byteSize = -1;
      try {
        var in = new JsonCursor(body);
        JsonFields.beginObject(in, "request");
        while (in.nextKey()) {
          if (in.keyIs("key")) {
            key = JsonFields.string(in, "key");
          } else if (in.keyIs("offset")) {
            offset = JsonFields.unsigned(in, "offset");
          } else if (in.keyIs("byte_size")) {
            byteSize = JsonFields.unsigned(in, "byte_size");
          } else {
            in.skipValue();
          }
        }
        in.finish();
      } catch (JsonException e) {
        throw JsonFields.malformed(e);
      }
      if (key == null) {
        throw JsonFields.missing("request", "key");
      }
      if (byteSize < 0) {
        throw JsonFields.missing("request", "byte_size");
      }
      return new Registration(key, offset, byteSize);
    }
  }
}
