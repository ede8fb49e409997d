package dev.sluice.protocol.oip.grpc;

import static com.google.protobuf.ByteString.copyFromUtf8;

import com.google.protobuf.MessageLite;
import com.google.protobuf.UnknownFieldSet;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.control.ModelLoad;
import dev.sluice.protocol.oip.Excerpt;
import dev.sluice.protocol.oip.KserveLoads;
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

/**
 * The models there are, and loading and unloading them by name.
 *
 * <p>KServe's messages have the model's name in the field that is the repository's in Triton's.
 *
 * @param kserve whether a message without any name is KServe's too
 */
record RepositoryCalls(OipServer server, boolean kserve) {
  // RepositoryModelLoadResponse and RepositoryModelUnloadResponse as KServe has them.
  private static final int MODEL_NAME = 1;
  private static final int IS_DONE = 2;

  Future<MessageLite> index(RepositoryIndexRequest request, Caller caller) {
    requireNoRepository(request.getRepositoryName());
    return RepositoryIndex.of(server.control(), request.getReady(), caller)
        .map(MetadataMessages::index);
  }

  Future<MessageLite> load(RepositoryModelLoadRequest request, Caller caller) {
    if (isKserves(request.getModelName(), request.getRepositoryName())) {
      String model = request.getRepositoryName();
      return new KserveLoads(server.control())
          .load(new LoadParameters().of(model), caller)
          .map(RepositoryModelLoadResponse.newBuilder().setUnknownFields(done(model)).build());
    }
    requireNoRepository(request.getRepositoryName());
    return server
        .control()
        .load(loadOf(request), caller)
        .map(RepositoryModelLoadResponse.getDefaultInstance());
  }

  /** Returns whether a message is KServe's: Triton's has no model in such a case. */
  private boolean isKserves(String model, String repository) {
    return model.isEmpty() && (kserve || !repository.isEmpty());
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

  /** Returns the members of KServe's answer: the model's name, and that it is done. */
  private static UnknownFieldSet done(String model) {
    var name = UnknownFieldSet.Field.newBuilder().addLengthDelimited(copyFromUtf8(model));
    var done = UnknownFieldSet.Field.newBuilder().addVarint(1);
    return UnknownFieldSet.newBuilder()
        .addField(MODEL_NAME, name.build())
        .addField(IS_DONE, done.build())
        .build();
  }

  Future<MessageLite> unload(RepositoryModelUnloadRequest request, Caller caller) {
    if (isKserves(request.getModelName(), request.getRepositoryName())) {
      String model = request.getRepositoryName();
      return new KserveLoads(server.control())
          .unload(model, false, caller)
          .map(RepositoryModelUnloadResponse.newBuilder().setUnknownFields(done(model)).build());
    }
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
