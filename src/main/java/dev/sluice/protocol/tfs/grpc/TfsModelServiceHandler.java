package dev.sluice.protocol.tfs.grpc;

import com.google.protobuf.Descriptors.ServiceDescriptor;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.control.ControlPlane;
import dev.sluice.protocol.tfs.grpc.proto.Services;
import dev.sluice.protocol.tfs.requestlog.RequestLogs;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.transport.grpc.method.AuthorizedMethod;
import dev.sluice.transport.grpc.method.GrpcMethod;
import dev.sluice.transport.grpc.method.GrpcProtocolHandler;
import java.util.List;
import java.util.Map;

/** TensorFlow Serving's ModelService. Holds nothing that changes; any event loop. */
public final class TfsModelServiceHandler implements GrpcProtocolHandler {
  private final Map<String, AuthorizedMethod<GrpcMethod>> methods;

  /**
   * @param telemetry counts what a reload is asked to tell of itself
   * @param logs are replaced by a reload
   */
  public TfsModelServiceHandler(ControlPlane control, Telemetry telemetry, RequestLogs logs) {
    this.methods =
        Map.of(
            "GetModelStatus",
            AuthorizedMethod.unary(Operation.MODEL_METADATA, new StatusMethod(control)),
            "HandleReloadConfigRequest",
            AuthorizedMethod.unary(Operation.RELOAD, new ReloadMethod(control, telemetry, logs)));
  }

  @Override
  public String service() {
    return "tensorflow.serving.ModelService";
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
  public Map<String, AuthorizedMethod<GrpcMethod>> methods() {
    return methods;
  }
}
