package dev.sluice.protocol.grps.grpc;

import com.google.protobuf.Descriptors.ServiceDescriptor;
import dev.sluice.inference.DataPlane;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.control.ControlPlane;
import dev.sluice.protocol.grps.Deployment;
import dev.sluice.protocol.grps.GrpsMetadata;
import dev.sluice.protocol.grps.ModelResolver;
import dev.sluice.protocol.grps.PredictCall;
import dev.sluice.protocol.grps.PredictConcurrencyLimit;
import dev.sluice.protocol.grps.grpc.proto.Grps;
import dev.sluice.transport.grpc.method.AuthorizedMethod;
import dev.sluice.transport.grpc.method.GrpcMethod;
import dev.sluice.transport.grpc.method.GrpcProtocolHandler;
import dev.sluice.transport.grpc.method.GrpcStreamMethod;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * The gRPC side of grps. Its clients read the status inside the message, so a failure is an answer
 * like any other and the call itself succeeds. Only what a client must be able to retry without
 * reading (a full queue, a passed deadline) and what is not a message at all end the call.
 */
public final class GrpsGrpcHandler implements GrpcProtocolHandler {
  private final ControlPlane control;
  private final Map<String, AuthorizedMethod<GrpcMethod>> methods;
  private final Map<String, AuthorizedMethod<GrpcStreamMethod>> streams;

  /**
   * @param concurrencyLimit shared by all event loops of the listener
   */
  public GrpsGrpcHandler(
      DataPlane data,
      ControlPlane control,
      Deployment deployment,
      PredictConcurrencyLimit concurrencyLimit) {
    this.control = control;
    var models = new ModelResolver(data, control, deployment);
    var health = new HealthCalls(control);
    var metadata = new MetadataCalls(new GrpsMetadata(models, control, deployment));
    var predict = new PredictCall(data, models, concurrencyLimit);
    this.streams =
        Map.of(
            "PredictStreaming",
            AuthorizedMethod.stream(Operation.INFER, new PredictStreamMethod(predict)));
    this.methods =
        Map.of(
            "Predict", AuthorizedMethod.unary(Operation.INFER, new GrpsPredictMethod(predict)),
            "Online", AuthorizedMethod.unary(Operation.ONLINE, health::online),
            "Offline", AuthorizedMethod.unary(Operation.OFFLINE, health::offline),
            "CheckLiveness", AuthorizedMethod.unary(Operation.HEALTH, health::live),
            "CheckReadiness", AuthorizedMethod.unary(Operation.HEALTH, health::ready),
            "ServerMetadata", AuthorizedMethod.unary(Operation.SERVER_METADATA, metadata::server),
            "ModelMetadata", AuthorizedMethod.unary(Operation.MODEL_METADATA, metadata::model));
  }

  @Override
  public String service() {
    return "grps.protos.v1.GrpsService";
  }

  @Override
  public ServiceDescriptor descriptor() {
    return Grps.getDescriptor().findServiceByName("GrpsService");
  }

  /** Returns the server's readiness while it is online: clients of grps decide by that switch. */
  @Override
  public BooleanSupplier readiness() {
    return () -> control.online() && control.ready();
  }

  @Override
  public Map<String, AuthorizedMethod<GrpcMethod>> methods() {
    return methods;
  }

  @Override
  public Map<String, AuthorizedMethod<GrpcStreamMethod>> streams() {
    return streams;
  }
}
