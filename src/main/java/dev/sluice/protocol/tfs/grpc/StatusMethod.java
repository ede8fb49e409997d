package dev.sluice.protocol.tfs.grpc;

import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.control.ControlPlane;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.protocol.tfs.grpc.proto.GetModelStatusRequest;
import dev.sluice.protocol.tfs.grpc.proto.GetModelStatusResponse;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.ModelVersionStatus;
import dev.sluice.protocol.tfs.grpc.proto.StatusProto;
import dev.sluice.protocol.tfs.grpc.wire.RequestedModel;
import dev.sluice.protocol.tfs.lookup.ServableErrors;
import dev.sluice.transport.Body;
import dev.sluice.transport.grpc.GrpcStatus;
import dev.sluice.transport.grpc.method.GrpcCall;
import dev.sluice.transport.grpc.method.GrpcMethod;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.List;

/**
 * GetModelStatus: how far the versions of a model are, the highest first.
 *
 * <p>Reads the published snapshot of the repository; never blocks.
 */
record StatusMethod(ControlPlane control) implements GrpcMethod {
  @Override
  public Future<Buffer> answer(GrpcCall call, Body message) {
    return call.compute(message.length(), () -> TfsMessages.write(respond(message, call.caller())));
  }

  private GetModelStatusResponse respond(Body message, Caller caller) {
    var request =
        TfsMessages.read("GetModelStatusRequest", GetModelStatusRequest.parser(), message);
    if (!request.hasModelSpec()) {
      throw RequestedModel.missing();
    }
    caller.require(Operation.MODEL_METADATA, request.getModelSpec().getName());
    var response = GetModelStatusResponse.newBuilder();
    for (VersionStatus status : wanted(request.getModelSpec()).reversed()) {
      response.addModelVersionStatus(encode(status));
    }
    return response.build();
  }

  /** Only a number narrows the answer; a label does not, as under TensorFlow Serving. */
  private List<VersionStatus> wanted(ModelSpec spec) {
    String name = spec.getName();
    List<VersionStatus> all = control.versions(name).orElse(List.of());
    if (!spec.hasVersion()) {
      return required(all, new ModelSelector.Latest(name));
    }
    long version = spec.getVersion().getValue();
    return required(
        all.stream().filter(status -> status.version() == version).toList(),
        new ModelSelector.Version(name, version));
  }

  private List<VersionStatus> required(List<VersionStatus> versions, ModelSelector asked) {
    if (versions.isEmpty()) {
      throw ServableErrors.noStatus(asked, control.absence(asked.name()));
    }
    return versions;
  }

  private static ModelVersionStatus encode(VersionStatus status) {
    return ModelVersionStatus.newBuilder()
        .setVersion(status.version())
        .setState(encode(status.state()))
        .setStatus(
            status.error().map(StatusMethod::encode).orElse(StatusProto.getDefaultInstance()))
        .build();
  }

  private static StatusProto encode(VersionStatus.Failure failure) {
    return StatusProto.newBuilder()
        .setErrorCodeValue(GrpcStatus.of(failure.code()))
        .setErrorMessage(failure.message())
        .build();
  }

  private static ModelVersionStatus.State encode(VersionState state) {
    return switch (state) {
      case START -> ModelVersionStatus.State.START;
      case LOADING -> ModelVersionStatus.State.LOADING;
      case AVAILABLE -> ModelVersionStatus.State.AVAILABLE;
      case UNLOADING -> ModelVersionStatus.State.UNLOADING;
      case END -> ModelVersionStatus.State.END;
    };
  }
}
