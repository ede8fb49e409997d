package dev.sluice.protocol.tfs.grpc;

import dev.sluice.inference.ControlPlane;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.LoadFailure;
import dev.sluice.inference.VersionChoice;
import dev.sluice.inference.WantedModel;
import dev.sluice.protocol.tfs.grpc.proto.FileSystemStoragePathSourceConfig.ServableVersionPolicy;
import dev.sluice.protocol.tfs.grpc.proto.ModelConfig;
import dev.sluice.protocol.tfs.grpc.proto.ModelType;
import dev.sluice.protocol.tfs.grpc.proto.ReloadConfigRequest;
import dev.sluice.protocol.tfs.grpc.proto.ReloadConfigResponse;
import dev.sluice.protocol.tfs.grpc.proto.StatusProto;
import dev.sluice.transport.Body;
import dev.sluice.transport.grpc.GrpcCall;
import dev.sluice.transport.grpc.GrpcMethod;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/** HandleReloadConfigRequest: replaces the models that are served, and waits for the new ones. */
final class ReloadMethod implements GrpcMethod {
  private final ControlPlane control;

  ReloadMethod(ControlPlane control) {
    this.control = control;
  }

  @Override
  public Future<Buffer> answer(GrpcCall call, Body message) {
    return call.compute(message.length(), () -> read(message))
        .compose(wanted -> control.serve(wanted, call.caller()))
        .map(ReloadMethod::respond);
  }

  private static List<WantedModel> read(Body message) {
    var request = Messages.read("ReloadConfigRequest", ReloadConfigRequest.parser(), message);
    if (!request.getConfig().hasModelConfigList()) {
      throw InferenceException.invalid(
          "ServerModelConfig type not supported by HandleReloadConfigRequest."
              + " Only ModelConfigList is currently supported");
    }
    return request.getConfig().getModelConfigList().getConfigList().stream()
        .map(ReloadMethod::wanted)
        .toList();
  }

  private static WantedModel wanted(ModelConfig config) {
    return new WantedModel(
        config.getName(),
        config.getBasePath(),
        config.getModelPlatform(),
        type(config),
        versions(config.getModelVersionPolicy()),
        config.getVersionLabelsMap());
  }

  private static String type(ModelConfig config) {
    return config.getModelTypeValue() == ModelType.MODEL_TYPE_UNSPECIFIED_VALUE
        ? ""
        : config.getModelType().name();
  }

  private static Optional<VersionChoice> versions(ServableVersionPolicy policy) {
    return switch (policy.getPolicyChoiceCase()) {
      case LATEST ->
          // A number of 32 bits without sign: more than there are is all.
          Optional.of(
              new VersionChoice.Latest(
                  policy.getLatest().getNumVersions() < 0
                      ? Integer.MAX_VALUE
                      : policy.getLatest().getNumVersions()));
      case ALL -> Optional.of(new VersionChoice.All());
      case SPECIFIC ->
          Optional.of(
              new VersionChoice.Specific(new HashSet<>(policy.getSpecific().getVersionsList())));
      case POLICYCHOICE_NOT_SET -> Optional.empty();
    };
  }

  private static Buffer respond(List<LoadFailure> failures) {
    if (!failures.isEmpty()) {
      throw new InferenceException(ErrorCode.UNKNOWN, text(failures));
    }
    return Messages.write(
        ReloadConfigResponse.newBuilder().setStatus(StatusProto.getDefaultInstance()).build());
  }

  private static String text(List<LoadFailure> failures) {
    var text = new StringBuilder();
    text.append(failures.size()).append(" model(s) did not become available: {");
    for (LoadFailure failure : failures) {
      text.append("{{name: ").append(failure.model());
      failure.version().ifPresent(version -> text.append(" version: ").append(version));
      text.append("} due to error: ").append(failure.why().message()).append("}, ");
    }
    return text.append('}').toString();
  }
}
