package dev.sluice.transport.grpc;

import com.google.protobuf.Descriptors.ServiceDescriptor;
import dev.sluice.inference.Operation;
import java.util.List;
import java.util.Map;

/** One protocol's gRPC service. */
public interface GrpcProtocolHandler {
  /** The whole service as its proto file declares it, for reflection. */
  ServiceDescriptor descriptor();

  /** The service's full name, such as {@code inference.GRPCInferenceService}. */
  default String service() {
    return descriptor().getFullName();
  }

  /** What the health service may be asked for it by. */
  default List<String> healthNames() {
    return List.of(service());
  }

  /** Those of its methods with one message each way that are served, by name. */
  Map<String, GrpcMethod> methods();

  /** What each method of {@link #methods} and {@link #streams} asks for, by the method's name. */
  Map<String, Operation> operations();

  /** Those of its methods that stream, by name. */
  default Map<String, GrpcStreamMethod> streams() {
    return Map.of();
  }
}
