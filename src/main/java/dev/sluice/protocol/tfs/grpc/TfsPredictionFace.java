package dev.sluice.protocol.tfs.grpc;

import dev.sluice.inference.DataPlane;
import dev.sluice.transport.grpc.GrpcFace;
import dev.sluice.transport.grpc.GrpcMethod;
import java.util.Map;

/** TensorFlow Serving's PredictionService. Holds nothing that changes; any event loop. */
public final class TfsPredictionFace implements GrpcFace {
  private final Map<String, GrpcMethod> methods;

  public TfsPredictionFace(DataPlane data, PredictSettings settings) {
    this.methods =
        Map.of(
            "Predict", new PredictMethod(data, settings),
            "GetModelMetadata", new MetadataMethod(data));
  }

  @Override
  public String service() {
    return "tensorflow.serving.PredictionService";
  }

  @Override
  public Map<String, GrpcMethod> methods() {
    return methods;
  }
}
