package dev.sluice.transport.grpc.method;

import dev.sluice.transport.Exchange;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One gRPC call in a protocol handler. */
public interface GrpcCall extends Exchange {
  /** Returns a metadata entry the client sent. */
  @Nullable String metadata(String name);

  /** Returns all metadata the client sent. On the event loop. */
  Iterable<Map.Entry<String, String>> metadata();
}
