package dev.sluice.serving;

import dev.sluice.config.compat.triton.TritonJson;
import dev.sluice.config.compat.triton.proto.DataType;
import dev.sluice.config.compat.triton.proto.ModelConfig;
import dev.sluice.config.compat.triton.proto.ModelEnsembling;
import dev.sluice.config.compat.triton.proto.ModelInput;
import dev.sluice.config.compat.triton.proto.ModelInstanceGroup;
import dev.sluice.config.compat.triton.proto.ModelInstanceGroup.Kind;
import dev.sluice.config.compat.triton.proto.ModelOutput;
import dev.sluice.config.compat.triton.proto.ModelSequenceBatching;
import dev.sluice.config.compat.triton.proto.ModelSequenceBatching.Control;
import dev.sluice.config.compat.triton.proto.ModelVersionPolicy;
import dev.sluice.config.model.BatchingConfig;
import dev.sluice.config.model.EnsembleConfig;
import dev.sluice.config.model.SequenceConfig;
import dev.sluice.config.model.SequenceConfig.ControlKind;
import dev.sluice.config.model.VersionPolicyConfig;
import dev.sluice.inference.ModelConfiguration;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A model's configuration in Triton's form: what its settings say, completed by what the model
 * itself says, so that a model without a {@code config.pbtxt} has one too. The message is made when
 * it is asked for: it seldom is, and the classes of its parts take memory. Immutable; any thread.
 *
 * @param name the model's
 * @param model what it says of itself
 * @param config its settings
 */
public record TritonConfiguration(
    String name, ModelMetadata model, dev.sluice.config.model.ModelConfig config)
    implements ModelConfiguration {
  @Override
  public byte[] message() {
    return complete().toByteArray();
  }

  @Override
  public String json() {
    return TritonJson.print(complete());
  }

  private ModelConfig complete() {
    ModelConfig declared = config.declared();
    ModelConfig.Builder complete =
        declared.toBuilder()
            .setName(name)
            .setPlatform(model.platform())
            .setMaxBatchSize(model.maxBatchSize());
    if (declared.getBackend().isEmpty()) {
      complete.setBackend(backend(model.platform()));
    }
    if (!declared.hasVersionPolicy()) {
      complete.setVersionPolicy(policy(config.versionPolicy()));
    }
    Signature signature = defaultSignature(model);
    if (signature != null) {
      addTensors(complete, signature, model.maxBatchSize() > 0);
    }
    addScheduling(complete, config);
    complete.getResponseCacheBuilder().setEnable(config.responseCache());
    complete.getModelTransactionPolicyBuilder().setDecoupled(model.decoupled());
    return complete.build();
  }

  private static String backend(String platform) {
    return platform.substring(0, Math.max(platform.indexOf('_'), 0));
  }

  private static @Nullable Signature defaultSignature(ModelMetadata model) {
    Map<String, Signature> all = model.signatures();
    return all.size() == 1 ? all.values().iterator().next() : all.get(Signature.DEFAULT);
  }

  private static void addScheduling(
      ModelConfig.Builder complete, dev.sluice.config.model.ModelConfig config) {
    if (config.ensemble().isPresent()) {
      if (!complete.hasEnsembleScheduling()) {
        complete.setEnsembleScheduling(ensemble(config.ensemble().get()));
      }
      for (ModelEnsembling.Step.Builder step :
          complete.getEnsembleSchedulingBuilder().getStepBuilderList()) {
        if (!step.hasModelVersion()) {
          step.setModelVersion(EnsembleConfig.LATEST);
        }
      }
      return;
    }
    addInstances(complete, config.runsAtOnce());
    if (config.sequence().isPresent() && !complete.hasSequenceBatching()) {
      complete.setSequenceBatching(sequences(config.sequence().get()));
    }
    BatchingConfig batching = config.batching();
    if (complete.hasDynamicBatching()) {
      if (!complete.getDynamicBatching().hasMaxQueueDelayMicroseconds()) {
        complete.getDynamicBatchingBuilder().setMaxQueueDelayMicroseconds(0);
      }
    } else if (batching.joined() && !complete.hasSequenceBatching()) {
      complete
          .getDynamicBatchingBuilder()
          .addAllPreferredBatchSize(batching.preferredBatchSizes())
          .setMaxQueueDelayMicroseconds(batching.maxQueueDelay().toNanos() / 1_000);
    }
  }

  /** As Triton completes groups: by their places, on the processors that there are. */
  private static void addInstances(ModelConfig.Builder complete, int instances) {
    if (complete.getInstanceGroupCount() == 0) {
      complete.addInstanceGroupBuilder().setName(complete.getName()).setCount(instances);
    }
    for (int i = 0; i < complete.getInstanceGroupCount(); i++) {
      ModelInstanceGroup.Builder group = complete.getInstanceGroupBuilder(i);
      group.setKind(Kind.KIND_CPU).setCount(Math.max(1, group.getCount()));
      if (group.getName().isEmpty()) {
        group.setName(complete.getName() + "_" + i);
      }
    }
  }

  private static ModelSequenceBatching sequences(SequenceConfig sequence) {
    ModelSequenceBatching.Builder batching =
        ModelSequenceBatching.newBuilder()
            .setMaxSequenceIdleMicroseconds(sequence.maxIdle().toNanos() / 1_000);
    batching.getOldestBuilder().setMaxCandidateSequences(sequence.maxSequences());
    for (SequenceConfig.Control control : sequence.controls()) {
      batching
          .addControlInputBuilder()
          .setName(control.input())
          .addControl(Control.newBuilder().setKind(kind(control.kind())));
    }
    return batching.build();
  }

  private static Control.Kind kind(ControlKind kind) {
    return switch (kind) {
      case START -> Control.Kind.CONTROL_SEQUENCE_START;
      case READY -> Control.Kind.CONTROL_SEQUENCE_READY;
      case END -> Control.Kind.CONTROL_SEQUENCE_END;
      case ID -> Control.Kind.CONTROL_SEQUENCE_CORRID;
    };
  }

  private static ModelVersionPolicy policy(VersionPolicyConfig policy) {
    ModelVersionPolicy.Builder shown = ModelVersionPolicy.newBuilder();
    switch (policy) {
      case VersionPolicyConfig.All() -> shown.getAllBuilder();
      case VersionPolicyConfig.Latest(int count) -> shown.getLatestBuilder().setNumVersions(count);
      case VersionPolicyConfig.Specific(var versions) ->
          shown.getSpecificBuilder().addAllVersions(versions.stream().sorted().toList());
    }
    return shown.build();
  }

  private static ModelEnsembling ensemble(EnsembleConfig ensemble) {
    ModelEnsembling.Builder shown = ModelEnsembling.newBuilder();
    for (EnsembleConfig.Step step : ensemble.steps()) {
      shown
          .addStepBuilder()
          .setModelName(step.model())
          .setModelVersion(step.version())
          .putAllInputMap(step.inputs())
          .putAllOutputMap(step.outputs());
    }
    return shown.build();
  }

  /** Sets the tensors, with what was declared of each, such as a label file. */
  private static void addTensors(
      ModelConfig.Builder complete, Signature signature, boolean batched) {
    Map<String, ModelInput> inputs = byName(complete.getInputList(), ModelInput::getName);
    Map<String, ModelOutput> outputs = byName(complete.getOutputList(), ModelOutput::getName);
    complete.clearInput().clearOutput();
    for (TensorSpec spec : signature.inputs()) {
      ModelInput.Builder input =
          inputs.getOrDefault(spec.name(), ModelInput.getDefaultInstance()).toBuilder();
      if (input.getDimsCount() == 0) {
        input.addAllDims(dims(spec.shape(), batched));
      }
      complete.addInput(
          input.setName(spec.name()).setDataType(type(spec.type())).setOptional(spec.optional()));
    }
    for (TensorSpec spec : signature.outputs()) {
      ModelOutput.Builder output =
          outputs.getOrDefault(spec.name(), ModelOutput.getDefaultInstance()).toBuilder();
      if (output.getDimsCount() == 0) {
        output.addAllDims(dims(spec.shape(), batched));
      }
      complete.addOutput(output.setName(spec.name()).setDataType(type(spec.type())));
    }
  }

  private static <T> Map<String, T> byName(List<T> tensors, Function<T, String> name) {
    return tensors.stream().collect(Collectors.toMap(name, tensor -> tensor, (first, _) -> first));
  }

  /** Without the batch, if the first dimension is one. */
  private static List<Long> dims(Shape shape, boolean batched) {
    int batch = batched && shape.rank() > 0 ? 1 : 0;
    return Arrays.stream(shape.dims()).skip(batch).boxed().toList();
  }

  /** Returns how a configuration names a type. */
  public static DataType type(dev.sluice.tensor.DataType type) {
    return switch (type) {
      case BYTES -> DataType.TYPE_STRING;
      default -> type.isCommon() ? DataType.valueOf("TYPE_" + type.name()) : DataType.TYPE_INVALID;
    };
  }
}
