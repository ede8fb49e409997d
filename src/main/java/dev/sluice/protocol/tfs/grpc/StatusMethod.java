package dev.sluice.protocol.tfs.grpc;

import dev.sluice.inference.Caller;
import dev.sluice.inference.ControlPlane;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.Operation;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.VersionStatus;
import dev.sluice.protocol.tfs.grpc.proto.GetModelStatusRequest;
import dev.sluice.protocol.tfs.grpc.proto.GetModelStatusResponse;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.ModelVersionStatus;
import dev.sluice.protocol.tfs.grpc.proto.StatusProto;
import dev.sluice.protocol.tfs.grpc.wire.RequestedModel;
import dev.sluice.transport.Body;
import dev.sluice.transport.grpc.GrpcCall;
import dev.sluice.transport.grpc.GrpcMethod;
import dev.sluice.transport.grpc.GrpcStatus;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.List;

/**
 * GetModelStatus: how far the versions of a model are, the highest first.
 *
 * <p>Reads the published snapshot of the repository; never blocks.
 */
final class StatusMethod implements GrpcMethod {
  private final ControlPlane control;

  StatusMethod(ControlPlane control) {
    this.control = control;
  }

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
    List<VersionStatus> all = control.versions(spec.getName()).orElse(List.of());
    if (all.isEmpty()) {
      throw notFound(
          "Could not find any versions of model "
              + spec.getName()
              + control.absence(spec.getName()).map(reason -> ": " + reason).orElse(""));
    }
    if (!spec.hasVersion()) {
      return all;
    }
    long version = spec.getVersion().getValue();
    List<VersionStatus> one = all.stream().filter(status -> status.version() == version).toList();
    if (one.isEmpty()) {
      throw notFound("Could not find version " + version + " of model " + spec.getName());
    }
    return one;
  }

  private static InferenceException notFound(String text) {
    return new InferenceException(ErrorCode.NOT_FOUND, text);
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
