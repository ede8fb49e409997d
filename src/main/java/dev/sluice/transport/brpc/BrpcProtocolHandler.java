package dev.sluice.transport.brpc;

import dev.sluice.transport.grpc.method.AuthorizedMethod;
import dev.sluice.transport.grpc.method.GrpcMethod;
import java.util.Map;

/** One protocol's service over brpc. */
public interface BrpcProtocolHandler {
  /** Returns the service's full name, such as {@code grps.protos.v1.GrpsBrpcService}. */
  String service();

  /** Returns its methods by name. */
  Map<String, AuthorizedMethod<GrpcMethod>> methods();
}
