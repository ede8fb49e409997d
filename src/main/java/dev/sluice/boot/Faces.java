package dev.sluice.boot;

import dev.sluice.config.GrpsConfig;
import dev.sluice.config.KserveConfig;
import dev.sluice.config.LimitsConfig;
import dev.sluice.config.ListenerConfig;
import dev.sluice.config.ListenerConfig.Protocol;
import dev.sluice.inference.ControlPlane;
import dev.sluice.inference.DataPlane;
import dev.sluice.inference.Explainer;
import dev.sluice.protocol.grps.grpc.GrpsGrpcFace;
import dev.sluice.protocol.grps.http.GrpsHttpFace;
import dev.sluice.protocol.kserve.http.EventAttributes;
import dev.sluice.protocol.kserve.http.KserveDialect;
import dev.sluice.protocol.oip.OipServer;
import dev.sluice.protocol.oip.grpc.OipGrpcFace;
import dev.sluice.protocol.oip.http.OipHttpFace;
import dev.sluice.protocol.tfs.grpc.PredictSettings;
import dev.sluice.protocol.tfs.grpc.TfsModelFace;
import dev.sluice.protocol.tfs.grpc.TfsPredictionFace;
import dev.sluice.protocol.tfs.http.TfsDialect;
import dev.sluice.protocol.v1.http.V1Dialect;
import dev.sluice.protocol.v1.http.V1Routes;
import dev.sluice.transport.grpc.GrpcFace;
import dev.sluice.transport.http.HttpFace;
import java.util.ArrayList;
import java.util.List;

/**
 * The faces of the protocols that a listener speaks. A new protocol is a line here.
 *
 * @param data what they ask models through
 * @param control what they manage models through
 * @param explainer what they have models explained by
 * @param grps what the grps protocol leaves to the server
 * @param kserve what KServe's protocol leaves to the server
 * @param limits what one caller may cost
 */
record Faces(
    DataPlane data,
    ControlPlane control,
    Explainer explainer,
    GrpsConfig grps,
    KserveConfig kserve,
    LimitsConfig limits) {
  /** Made anew for each event loop, so that faces may keep state without locks. */
  List<HttpFace> http(ListenerConfig listener) {
    List<HttpFace> faces = new ArrayList<>();
    List<V1Dialect> dialects = dialects(listener);
    if (!dialects.isEmpty()) {
      faces.add(new V1Routes(data, control, explainer, dialects));
    }
    if (listener.protocols().contains(Protocol.OIP)) {
      faces.add(new OipHttpFace(oip()));
    }
    if (listener.protocols().contains(Protocol.GRPS)) {
      faces.add(new GrpsHttpFace(data, control, grps.defaultModel().orElse("")));
    }
    return faces;
  }

  private List<V1Dialect> dialects(ListenerConfig listener) {
    List<V1Dialect> dialects = new ArrayList<>();
    if (listener.protocols().contains(Protocol.TFS)
        && listener.v1() != ListenerConfig.V1Dialect.KSERVE) {
      dialects.add(new TfsDialect(limits.maxBodySize()));
    }
    if (listener.protocols().contains(Protocol.KSERVE)
        && listener.v1() != ListenerConfig.V1Dialect.TENSORFLOW) {
      dialects.add(
          new KserveDialect(
              new EventAttributes(kserve.eventType(), kserve.eventSource(), kserve.eventMerge())));
    }
    return dialects;
  }

  /** Made anew for each event loop. */
  List<GrpcFace> grpc(ListenerConfig listener) {
    List<GrpcFace> faces = new ArrayList<>();
    if (listener.protocols().contains(Protocol.TFS)) {
      faces.add(new TfsPredictionFace(data, new PredictSettings(limits.maxBodySize(), false)));
      faces.add(new TfsModelFace(control));
    }
    if (listener.protocols().contains(Protocol.OIP)) {
      faces.add(new OipGrpcFace(oip()));
    }
    if (listener.protocols().contains(Protocol.GRPS)) {
      faces.add(new GrpsGrpcFace(data, control, grps.defaultModel().orElse("")));
    }
    return faces;
  }

  private OipServer oip() {
    return new OipServer(data, control, VersionText.number(), System::nanoTime);
  }
}
