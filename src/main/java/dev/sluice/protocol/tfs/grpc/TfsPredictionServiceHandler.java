package dev.sluice.protocol.tfs.grpc;

import com.google.protobuf.Descriptors.ServiceDescriptor;
import dev.sluice.inference.DataPlane;
import dev.sluice.inference.access.Operation;
import dev.sluice.protocol.tfs.grpc.proto.Services;
import dev.sluice.transport.grpc.method.GrpcMethod;
import dev.sluice.transport.grpc.method.GrpcProtocolHandler;
import java.util.List;
import java.util.Map;

/** TensorFlow Serving's PredictionService. Holds nothing that changes; any event loop. */
public final class TfsPredictionServiceHandler implements GrpcProtocolHandler {
  private final Map<String, GrpcMethod> methods;

  public TfsPredictionServiceHandler(DataPlane data, PredictSettings settings) {
    this.methods =
        Map.of(
            "Predict", new TfsPredictMethod(data, settings),
            "Classify", ExamplesMethod.classify(data, settings),
            "Regress", ExamplesMethod.regress(data, settings),
            "MultiInference", ExamplesMethod.multiInference(data, settings),
            "GetModelMetadata", new MetadataMethod(data));
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
  public Map<String, Operation> operations() {
    return Map.ofEntries(
        Map.entry("Predict", Operation.INFER),
        Map.entry("Classify", Operation.INFER),
        Map.entry("Regress", Operation.INFER),
        Map.entry("MultiInference", Operation.INFER),
        Map.entry("GetModelMetadata", Operation.MODEL_METADATA));
  }

  @Override
  public Map<String, GrpcMethod> methods() {
    return methods;
  }
}
