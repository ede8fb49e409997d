package dev.sluice.transport.brpc;

import dev.sluice.inference.access.Operation;
import dev.sluice.transport.grpc.method.GrpcMethod;
import java.util.Map;

/** One protocol's service over brpc. */
public interface BrpcProtocolHandler {
  /** Returns the service's full name, such as {@code grps.protos.v1.GrpsBrpcService}. */
  String service();

  /** Returns the operation of each of its methods, by the method's name. */
  Map<String, Operation> operations();

  /** Returns its methods by name. */
  Map<String, GrpcMethod> methods();
}
