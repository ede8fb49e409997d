package dev.sluice.protocol.tfs.grpc;

import com.google.protobuf.Any;
import com.google.protobuf.Int64Value;
import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.access.Caller;
import dev.sluice.protocol.tfs.grpc.proto.GetModelMetadataRequest;
import dev.sluice.protocol.tfs.grpc.proto.GetModelMetadataResponse;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.wire.RequestedModel;
import dev.sluice.transport.Body;
import dev.sluice.transport.grpc.method.GrpcCall;
import dev.sluice.transport.grpc.method.GrpcMethod;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.List;

/** GetModelMetadata: the signatures of a model. */
record MetadataMethod(DataPlane data) implements GrpcMethod {
  private static final String SIGNATURE_DEF = "signature_def";

  @Override
  public Future<Buffer> answer(GrpcCall call, Body message) {
    return call.compute(message.length(), () -> TfsMessages.write(respond(message, call.caller())));
  }

  private GetModelMetadataResponse respond(Body message, Caller caller) {
    var request =
        TfsMessages.read("GetModelMetadataRequest", GetModelMetadataRequest.parser(), message);
    if (!request.hasModelSpec()) {
      throw RequestedModel.missing();
    }
    checkFields(request.getMetadataFieldList());
    return TfsModels.describe(
        data,
        RequestedModel.of(request.getModelSpec()).selector(),
        caller,
        MetadataMethod::describe);
  }

  private static void checkFields(List<String> fields) {
    if (fields.isEmpty()) {
      throw InferenceException.invalid(
          "GetModelMetadataRequest must specify at least one metadata_field");
    }
    for (String field : fields) {
      if (!field.equals(SIGNATURE_DEF)) {
        throw InferenceException.invalid("Metadata field " + field + " is not supported");
      }
    }
  }

  private static GetModelMetadataResponse describe(ModelLease model) {
    return GetModelMetadataResponse.newBuilder()
        .setModelSpec(
            ModelSpec.newBuilder()
                .setName(model.id().name())
                .setVersion(Int64Value.of(model.id().version())))
        .putMetadata(SIGNATURE_DEF, Any.pack(SignatureDefs.of(model.metadata())))
        .build();
  }
}
