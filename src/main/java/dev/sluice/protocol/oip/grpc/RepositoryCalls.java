package dev.sluice.protocol.oip.grpc;

import com.google.protobuf.MessageLite;
import dev.sluice.inference.Caller;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLoad;
import dev.sluice.protocol.oip.Excerpt;
import dev.sluice.protocol.oip.LoadParameters;
import dev.sluice.protocol.oip.OipServer;
import dev.sluice.protocol.oip.RepositoryIndex;
import dev.sluice.protocol.oip.grpc.proto.ModelRepositoryParameter;
import dev.sluice.protocol.oip.grpc.proto.ModelRepositoryParameter.ParameterChoiceCase;
import dev.sluice.protocol.oip.grpc.proto.RepositoryIndexRequest;
import dev.sluice.protocol.oip.grpc.proto.RepositoryModelLoadRequest;
import dev.sluice.protocol.oip.grpc.proto.RepositoryModelLoadResponse;
import dev.sluice.protocol.oip.grpc.proto.RepositoryModelUnloadRequest;
import dev.sluice.protocol.oip.grpc.proto.RepositoryModelUnloadResponse;
import io.vertx.core.Future;
import java.util.Locale;

/** The models there are, and loading and unloading them by name. */
record RepositoryCalls(OipServer server) {
  Future<MessageLite> index(RepositoryIndexRequest request, Caller caller) {
    requireNoRepository(request.getRepositoryName());
    return RepositoryIndex.of(server.control(), request.getReady(), caller)
        .map(Descriptions::index);
  }

  Future<MessageLite> load(RepositoryModelLoadRequest request, Caller caller) {
    requireNoRepository(request.getRepositoryName());
    return server
        .control()
        .load(loadOf(request), caller)
        .map(RepositoryModelLoadResponse.getDefaultInstance());
  }

  private static ModelLoad loadOf(RepositoryModelLoadRequest request) {
    var load = new LoadParameters();
    request
        .getParametersMap()
        .forEach((name, value) -> {
          switch (LoadParameters.kind(name)) {
            case CONFIG -> {
              require(name, value, ParameterChoiceCase.STRING_PARAM);
              load.setConfig(value.getStringParam());
            }
            case FILE -> {
              require(name, value, ParameterChoiceCase.BYTES_PARAM);
              load.addFile(name, value.getBytesParam().toByteArray());
            }
          }
        });
    return load.of(request.getModelName());
  }

  Future<MessageLite> unload(RepositoryModelUnloadRequest request, Caller caller) {
    requireNoRepository(request.getRepositoryName());
    boolean dependents = false;
    for (var parameter : request.getParametersMap().entrySet()) {
      if (!parameter.getKey().equals(LoadParameters.DEPENDENTS)) {
        throw LoadParameters.unknown("unload", parameter.getKey());
      }
      require(parameter.getKey(), parameter.getValue(), ParameterChoiceCase.BOOL_PARAM);
      dependents = parameter.getValue().getBoolParam();
    }
    return server
        .control()
        .unload(request.getModelName(), dependents, caller)
        .map(RepositoryModelUnloadResponse.getDefaultInstance());
  }

  private static void require(
      String name, ModelRepositoryParameter value, ParameterChoiceCase wanted) {
    if (value.getParameterChoiceCase() != wanted) {
      throw InferenceException.invalid(
          "invalid value type for '%s' parameter, expected %s."
              .formatted(Excerpt.of(name), wanted.name().toLowerCase(Locale.ROOT)));
    }
  }

  private static void requireNoRepository(String name) {
    if (!name.isEmpty()) {
      throw new InferenceException(ErrorCode.UNIMPLEMENTED, LoadParameters.NO_REPOSITORY_NAME);
    }
  }
}
