package dev.sluice.protocol.oip.grpc;

import dev.sluice.protocol.oip.DataTypes;
import dev.sluice.protocol.oip.ModelDescription;
import dev.sluice.protocol.oip.RepositoryIndex;
import dev.sluice.protocol.oip.grpc.proto.DataType;
import dev.sluice.protocol.oip.grpc.proto.ModelConfig;
import dev.sluice.protocol.oip.grpc.proto.ModelConfigResponse;
import dev.sluice.protocol.oip.grpc.proto.ModelInput;
import dev.sluice.protocol.oip.grpc.proto.ModelMetadataResponse;
import dev.sluice.protocol.oip.grpc.proto.ModelOutput;
import dev.sluice.protocol.oip.grpc.proto.ModelResponseCache;
import dev.sluice.protocol.oip.grpc.proto.ModelTransactionPolicy;
import dev.sluice.protocol.oip.grpc.proto.RepositoryIndexResponse;
import dev.sluice.tensor.TensorSpec;
import java.util.Arrays;
import java.util.List;

/** Turns what models say of themselves into messages. */
final class Descriptions {
  private Descriptions() {}

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

  static ModelConfigResponse config(ModelDescription model) {
    var config =
        ModelConfig.newBuilder()
            .setName(model.name())
            .setPlatform(model.platform())
            .setBackend(model.backend())
            .setMaxBatchSize(model.maxBatchSize())
            .setModelTransactionPolicy(ModelTransactionPolicy.getDefaultInstance())
            .setResponseCache(ModelResponseCache.getDefaultInstance());
    model.inputs().forEach(input -> config.addInput(configInput(model, input)));
    model.outputs().forEach(output -> config.addOutput(configOutput(model, output)));
    return ModelConfigResponse.newBuilder().setConfig(config).build();
  }

  private static ModelInput configInput(ModelDescription model, TensorSpec input) {
    return ModelInput.newBuilder()
        .setName(input.name())
        .setDataType(type(input))
        .addAllDims(list(model.configDims(input)))
        .setOptional(input.optional())
        .build();
  }

  private static ModelOutput configOutput(ModelDescription model, TensorSpec output) {
    return ModelOutput.newBuilder()
        .setName(output.name())
        .setDataType(type(output))
        .addAllDims(list(model.configDims(output)))
        .build();
  }

  private static DataType type(TensorSpec tensor) {
    return DataType.valueOf(DataTypes.configName(tensor.type()));
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
