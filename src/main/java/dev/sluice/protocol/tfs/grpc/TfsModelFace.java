package dev.sluice.protocol.tfs.grpc;

import com.google.protobuf.Descriptors.ServiceDescriptor;
import dev.sluice.inference.ControlPlane;
import dev.sluice.protocol.tfs.grpc.proto.Services;
import dev.sluice.transport.grpc.GrpcFace;
import dev.sluice.transport.grpc.GrpcMethod;
import java.util.Map;

/** TensorFlow Serving's ModelService. Holds nothing that changes; any event loop. */
public final class TfsModelFace implements GrpcFace {
  private final Map<String, GrpcMethod> methods;

  public TfsModelFace(ControlPlane control) {
    this.methods =
        Map.of(
            "GetModelStatus", new StatusMethod(control),
            "HandleReloadConfigRequest", new ReloadMethod(control));
  }

  @Override
  public ServiceDescriptor descriptor() {
    return Services.getDescriptor().findServiceByName("ModelService");
  }

  @Override
  public Map<String, GrpcMethod> methods() {
    return methods;
  }
}
