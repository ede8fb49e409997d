package dev.sluice.protocol.oip.grpc;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sluice.config.compat.triton.proto.ModelConfig;
import dev.sluice.inference.ModelConfiguration;
import dev.sluice.protocol.oip.DataTypes;
import dev.sluice.protocol.oip.ModelDescription;
import dev.sluice.protocol.oip.RepositoryIndex;
import dev.sluice.protocol.oip.grpc.proto.ModelConfigResponse;
import dev.sluice.protocol.oip.grpc.proto.ModelMetadataResponse;
import dev.sluice.protocol.oip.grpc.proto.RepositoryIndexResponse;
import dev.sluice.tensor.TensorSpec;
import java.util.Arrays;
import java.util.List;

/** Turns what models say of themselves into messages. */
final class MetadataMessages {
  private MetadataMessages() {}

  static ModelMetadataResponse metadata(ModelDescription model) {
    var metadata =
        ModelMetadataResponse.newBuilder().setName(model.name()).setPlatform(model.platform());
    model.versions().forEach(version -> metadata.addVersions(Long.toString(version)));
    model.inputs().forEach(input -> metadata.addInputs(tensor(input)));
    model.outputs().forEach(output -> metadata.addOutputs(tensor(output)));
    return metadata.build();
  }

  private static ModelMetadataResponse.TensorMetadata tensor(TensorSpec tensor) {
    return ModelMetadataResponse.TensorMetadata.newBuilder()
        .setName(tensor.name())
        .setDatatype(DataTypes.name(tensor))
        .addAllShape(list(tensor.shape().dims()))
        .build();
  }

  static ModelConfigResponse config(ModelConfiguration configuration) {
    try {
      return ModelConfigResponse.newBuilder()
          .setConfig(ModelConfig.parseFrom(configuration.message()))
          .build();
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a model's configuration is no message", e);
    }
  }

  static RepositoryIndexResponse index(List<RepositoryIndex.Entry> entries) {
    var index = RepositoryIndexResponse.newBuilder();
    for (RepositoryIndex.Entry entry : entries) {
      index
          .addModelsBuilder()
          .setName(entry.name())
          .setVersion(entry.version())
          .setState(entry.state())
          .setReason(entry.reason());
    }
    return index.build();
  }

  private static List<Long> list(long[] values) {
    return Arrays.stream(values).boxed().toList();
  }
}
