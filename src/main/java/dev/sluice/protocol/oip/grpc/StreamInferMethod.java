package dev.sluice.protocol.oip.grpc;

import dev.sluice.protocol.oip.OipServer;
import dev.sluice.transport.grpc.method.GrpcStreamCall;
import dev.sluice.transport.grpc.method.GrpcStreamMethod;

/** Answers {@code ModelStreamInfer}. */
record StreamInferMethod(OipServer server) implements GrpcStreamMethod {
  @Override
  public Messages open(GrpcStreamCall call) {
    return new InferStream(server, call);
  }
}
