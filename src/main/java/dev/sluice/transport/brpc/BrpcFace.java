package dev.sluice.transport.brpc;

import dev.sluice.transport.grpc.GrpcMethod;
import java.util.Map;

/** One protocol's service over brpc. */
public interface BrpcFace {
  /** The service's full name, such as {@code grps.protos.v1.GrpsBrpcService}. */
  String service();

  /** Its methods by name. */
  Map<String, GrpcMethod> methods();
}
