package dev.sluice.transport.grpc;

import java.util.Map;

/** One protocol's gRPC service. */
public interface GrpcFace {
  /** The service's full name, such as {@code inference.GRPCInferenceService}. */
  String service();

  /** Its methods by name. */
  Map<String, GrpcMethod> methods();
}
