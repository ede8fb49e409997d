package dev.sluice.protocol.grps.grpc;

import dev.sluice.inference.control.ControlPlane;
import dev.sluice.protocol.grps.GrpsStatus;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.transport.Body;
import dev.sluice.transport.grpc.method.GrpcCall;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;

/** The online switch, by which a load balancer decides whether to send traffic. */
record HealthCalls(ControlPlane control) {
  Future<Buffer> online(GrpcCall call, Body body) {
    return GrpsMessages.answer(body, _ -> set(call, true));
  }

  Future<Buffer> offline(GrpcCall call, Body body) {
    return GrpsMessages.answer(body, _ -> set(call, false));
  }

  private GrpsMessage set(GrpcCall call, boolean online) {
    control.setOnline(online, call.caller());
    return GrpsMessages.of(GrpsStatus.OK);
  }

  Future<Buffer> live(GrpcCall call, Body body) {
    return GrpsMessages.answer(body, _ -> status(control.started()));
  }

  Future<Buffer> ready(GrpcCall call, Body body) {
    return GrpsMessages.answer(body, _ -> status(control.online()));
  }

  private static GrpsMessage status(boolean good) {
    return GrpsMessages.of(good ? GrpsStatus.OK : GrpsStatus.OFFLINE);
  }
}
