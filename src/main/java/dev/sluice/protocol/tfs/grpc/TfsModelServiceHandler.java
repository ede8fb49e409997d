package dev.sluice.protocol.tfs.grpc;

import com.google.protobuf.Descriptors.ServiceDescriptor;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.control.ControlPlane;
import dev.sluice.protocol.tfs.grpc.proto.Services;
import dev.sluice.protocol.tfs.requestlog.RequestLogs;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.transport.grpc.method.GrpcMethod;
import dev.sluice.transport.grpc.method.GrpcProtocolHandler;
import java.util.List;
import java.util.Map;

/** TensorFlow Serving's ModelService. Holds nothing that changes; any event loop. */
public final class TfsModelServiceHandler implements GrpcProtocolHandler {
  private final Map<String, GrpcMethod> methods;

  /**
   * @param telemetry counts what a reload is asked to tell of itself
   * @param logs are replaced by a reload
   */
  public TfsModelServiceHandler(ControlPlane control, Telemetry telemetry, RequestLogs logs) {
    this.methods =
        Map.of(
            "GetModelStatus", new StatusMethod(control),
            "HandleReloadConfigRequest", new ReloadMethod(control, telemetry, logs));
  }

  @Override
  public ServiceDescriptor descriptor() {
    return Services.getDescriptor().findServiceByName("ModelService");
  }

  /** TensorFlow Serving's health service knows it without its package. */
  @Override
  public List<String> healthNames() {
    return List.of(service(), "ModelService");
  }

  @Override
  public Map<String, Operation> operations() {
    return Map.ofEntries(
        Map.entry("GetModelStatus", Operation.MODEL_METADATA),
        Map.entry("HandleReloadConfigRequest", Operation.RELOAD));
  }

  @Override
  public Map<String, GrpcMethod> methods() {
    return methods;
  }
}
