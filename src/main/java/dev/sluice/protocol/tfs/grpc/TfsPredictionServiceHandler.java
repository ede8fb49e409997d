package dev.sluice.protocol.tfs.grpc;

import com.google.protobuf.Descriptors.ServiceDescriptor;
import dev.sluice.inference.DataPlane;
import dev.sluice.inference.access.Operation;
import dev.sluice.protocol.tfs.grpc.proto.Services;
import dev.sluice.transport.grpc.method.AuthorizedMethod;
import dev.sluice.transport.grpc.method.GrpcMethod;
import dev.sluice.transport.grpc.method.GrpcProtocolHandler;
import java.util.List;
import java.util.Map;

/** TensorFlow Serving's PredictionService. Holds nothing that changes; any event loop. */
public final class TfsPredictionServiceHandler implements GrpcProtocolHandler {
  private final Map<String, AuthorizedMethod<GrpcMethod>> methods;

  public TfsPredictionServiceHandler(DataPlane data, PredictSettings settings) {
    this.methods =
        Map.of(
            "Predict", infer(new TfsPredictMethod(data, settings)),
            "Classify", infer(ExamplesMethod.classify(data, settings)),
            "Regress", infer(ExamplesMethod.regress(data, settings)),
            "MultiInference", infer(ExamplesMethod.multiInference(data, settings)),
            "GetModelMetadata",
                AuthorizedMethod.unary(Operation.MODEL_METADATA, new MetadataMethod(data)));
  }

  private static AuthorizedMethod<GrpcMethod> infer(GrpcMethod method) {
    return AuthorizedMethod.unary(Operation.INFER, method);
  }

  @Override
  public String service() {
    return "tensorflow.serving.PredictionService";
  }

  @Override
  public ServiceDescriptor descriptor() {
    return Services.getDescriptor().findServiceByName("PredictionService");
  }

  /** TensorFlow Serving's health service knows it without its package. */
  @Override
  public List<String> healthNames() {
    return List.of(service(), "PredictionService");
  }

  @Override
  public Map<String, AuthorizedMethod<GrpcMethod>> methods() {
    return methods;
  }
}
