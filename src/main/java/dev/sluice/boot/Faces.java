package dev.sluice.boot;

import dev.sluice.config.GrpsConfig;
import dev.sluice.config.ListenerConfig;
import dev.sluice.inference.ControlPlane;
import dev.sluice.inference.DataPlane;
import dev.sluice.protocol.grps.grpc.GrpsGrpcFace;
import dev.sluice.protocol.grps.http.GrpsHttpFace;
import dev.sluice.transport.grpc.GrpcFace;
import dev.sluice.transport.http.HttpFace;
import java.util.ArrayList;
import java.util.List;

/**
 * The faces of the protocols that a listener speaks. A new protocol is a line here.
 *
 * @param data what they ask models through
 * @param control what they manage models through
 * @param grps what the grps protocol leaves to the server
 */
record Faces(DataPlane data, ControlPlane control, GrpsConfig grps) {
  /** Made anew for each event loop, so that faces may keep state without locks. */
  List<HttpFace> http(ListenerConfig listener) {
    List<HttpFace> faces = new ArrayList<>();
    if (listener.protocols().contains(ListenerConfig.Protocol.GRPS)) {
      faces.add(new GrpsHttpFace(data, control, grps.defaultModel().orElse("")));
    }
    return faces;
  }

  /** Made anew for each event loop. */
  List<GrpcFace> grpc(ListenerConfig listener) {
    List<GrpcFace> faces = new ArrayList<>();
    if (listener.protocols().contains(ListenerConfig.Protocol.GRPS)) {
      faces.add(new GrpsGrpcFace(data, control, grps.defaultModel().orElse("")));
    }
    return faces;
  }
}
