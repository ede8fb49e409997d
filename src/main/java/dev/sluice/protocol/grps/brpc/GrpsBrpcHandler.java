package dev.sluice.protocol.grps.brpc;

import dev.sluice.protocol.grps.grpc.GrpsGrpcHandler;
import dev.sluice.transport.brpc.BrpcProtocolHandler;
import dev.sluice.transport.grpc.method.AuthorizedMethod;
import dev.sluice.transport.grpc.method.GrpcMethod;
import java.util.Map;

/**
 * The brpc side of grps: the methods of its gRPC side under another name. Those that stream are not
 * among them, as brpc's own server has none either; nor is {@code PredictByHttp}, which is for
 * HTTP.
 */
public final class GrpsBrpcHandler implements BrpcProtocolHandler {
  private final GrpsGrpcHandler service;

  public GrpsBrpcHandler(GrpsGrpcHandler service) {
    this.service = service;
  }

  @Override
  public String service() {
    return "grps.protos.v1.GrpsBrpcService";
  }

  @Override
  public Map<String, AuthorizedMethod<GrpcMethod>> methods() {
    return service.methods();
  }
}
