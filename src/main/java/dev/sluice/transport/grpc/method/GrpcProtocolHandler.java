package dev.sluice.transport.grpc.method;

import com.google.protobuf.Descriptors.ServiceDescriptor;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** One protocol's gRPC service. */
public interface GrpcProtocolHandler {
  /** Returns the service's full name, such as {@code inference.GRPCInferenceService}. */
  String service();

  /**
   * Returns the whole service as its proto file declares it, for reflection. The first call loads
   * the declarations of all its messages, which nothing else needs.
   */
  ServiceDescriptor descriptor();

  /** Returns the names that the health service knows it by. */
  default List<String> healthNames() {
    return List.of(service());
  }

  /**
   * Returns what the health service answers for it if that is not the server's readiness; null if
   * it is.
   */
  default @Nullable BooleanSupplier readiness() {
    return null;
  }

  /** Returns its unary methods that are served, by name. */
  Map<String, AuthorizedMethod<GrpcMethod>> methods();

  /** Returns its streaming methods, by name. */
  default Map<String, AuthorizedMethod<GrpcStreamMethod>> streams() {
    return Map.of();
  }
}
