package dev.sluice.serving;

import dev.sluice.config.compat.triton.TritonTree;
import dev.sluice.config.model.BatchingConfig;
import dev.sluice.config.model.EnsembleConfig;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.SequenceConfig;
import dev.sluice.config.model.VersionPolicyConfig;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A model's configuration in Triton's form: what its settings say, completed by what the model
 * itself says, so that a model without a {@code config.pbtxt} has one too.
 */
public final class TritonConfiguration {
  /** The device of all instances. */
  private static final String CPU = "KIND_CPU";

  private final ModelMetadata model;
  private final ModelConfig config;
  private final Map<String, Object> tree;

  private TritonConfiguration(ModelMetadata model, ModelConfig config) {
    this.model = model;
    this.config = config;
    this.tree = new LinkedHashMap<>(config.declared());
  }

  /** Returns the whole configuration as a {@link TritonTree}. */
  static Map<String, Object> of(String name, ModelMetadata model, ModelConfig config) {
    return new TritonConfiguration(model, config).complete(name);
  }

  private Map<String, Object> complete(String name) {
    tree.put("name", name);
    tree.put("platform", model.platform());
    tree.putIfAbsent("backend", backend(model.platform()));
    tree.put("max_batch_size", (long) model.maxBatchSize());
    tree.putIfAbsent("version_policy", policy(config.versionPolicy()));
    Signature signature = defaultSignature();
    if (signature != null) {
      tree.put("input", tensors("input", signature.inputs(), true));
      tree.put("output", tensors("output", signature.outputs(), false));
    }
    config
        .ensemble()
        .ifPresentOrElse(
            ensemble -> tree.putIfAbsent("ensemble_scheduling", ensemble(ensemble)),
            () -> addScheduling(name));
    tree.put("response_cache", Map.of("enable", config.responseCache()));
    tree.put("model_transaction_policy", Map.of("decoupled", model.decoupled()));
    return TritonTree.complete(tree);
  }

  private static String backend(String platform) {
    return platform.substring(0, Math.max(platform.indexOf('_'), 0));
  }

  private @Nullable Signature defaultSignature() {
    Map<String, Signature> all = model.signatures();
    return all.size() == 1 ? all.values().iterator().next() : all.get(Signature.DEFAULT);
  }

  private void addScheduling(String name) {
    tree.put(
        "instance_group",
        config.declared().get("instance_group") instanceof List<?> groups && !groups.isEmpty()
            ? named(groups, name)
            : List.of(Map.of("name", name, "kind", CPU, "count", (long) config.instances())));
    config
        .sequence()
        .ifPresent(sequence -> tree.putIfAbsent("sequence_batching", sequences(sequence)));
    BatchingConfig batching = config.batching();
    if (batching.joined() && !tree.containsKey("sequence_batching")) {
      tree.putIfAbsent(
          "dynamic_batching",
          Map.of(
              "preferred_batch_size",
              batching.preferredBatchSizes().stream().map(Integer::longValue).toList(),
              "max_queue_delay_microseconds",
              batching.maxQueueDelay().toNanos() / 1_000));
    }
  }

  /** As Triton completes groups: by their places, on the processors that there are. */
  private static List<Map<String, Object>> named(List<?> groups, String model) {
    List<Map<String, Object>> named = new ArrayList<>(groups.size());
    for (Object declared : groups) {
      Map<String, Object> group = new LinkedHashMap<>();
      ((Map<?, ?>) declared).forEach((field, value) -> group.put((String) field, value));
      group.putIfAbsent("name", model + "_" + named.size());
      group.putIfAbsent("count", 1L);
      group.put("kind", CPU);
      named.add(group);
    }
    return named;
  }

  private static Map<String, Object> sequences(SequenceConfig sequence) {
    return Map.of(
        "max_sequence_idle_microseconds",
        sequence.maxIdle().toNanos() / 1_000,
        "oldest",
        Map.of("max_candidate_sequences", (long) sequence.maxSequences()),
        "control_input",
        sequence.controls().stream()
            .map(control ->
                Map.of(
                    "name",
                    control.input(),
                    "control",
                    List.of(Map.of("kind", word(control.kind())))))
            .toList());
  }

  private static String word(SequenceConfig.ControlKind kind) {
    return switch (kind) {
      case START -> "CONTROL_SEQUENCE_START";
      case READY -> "CONTROL_SEQUENCE_READY";
      case END -> "CONTROL_SEQUENCE_END";
      case ID -> "CONTROL_SEQUENCE_CORRID";
    };
  }

  private static Map<String, Object> policy(VersionPolicyConfig policy) {
    return switch (policy) {
      case VersionPolicyConfig.All() -> Map.of("all", Map.of());
      case VersionPolicyConfig.Latest(int count) ->
          Map.of("latest", Map.of("num_versions", (long) count));
      case VersionPolicyConfig.Specific(var versions) ->
          Map.of("specific", Map.of("versions", versions.stream().sorted().toList()));
    };
  }

  private static Map<String, Object> ensemble(EnsembleConfig ensemble) {
    return Map.of(
        "step",
        ensemble.steps().stream()
            .map(step ->
                Map.of(
                    "model_name", step.model(),
                    "model_version", step.version(),
                    "input_map", step.inputs(),
                    "output_map", step.outputs()))
            .toList());
  }

  /** Returns the tensors, with what was declared of each, such as a label file. */
  private List<Map<String, Object>> tensors(String field, List<TensorSpec> specs, boolean input) {
    Map<Object, Map<?, ?>> declared =
        config.declared().get(field) instanceof List<?> said
            ? said.stream()
                .map(item -> (Map<?, ?>) item)
                .collect(Collectors.toMap(item -> item.get("name"), item -> item, (a, _) -> a))
            : Map.of();
    return specs.stream()
        .map(spec -> tensor(spec, declared.getOrDefault(spec.name(), Map.of()), input))
        .toList();
  }

  private Map<String, Object> tensor(TensorSpec spec, Map<?, ?> declared, boolean input) {
    Map<String, Object> tensor = new LinkedHashMap<>();
    declared.forEach((name, value) -> tensor.put((String) name, value));
    tensor.put("name", spec.name());
    tensor.put("data_type", word(spec.type()));
    tensor.putIfAbsent("dims", dims(spec.shape()));
    if (input) {
      tensor.put("optional", spec.optional());
    }
    return tensor;
  }

  /** Without the batch, if the first dimension is one. */
  private List<Long> dims(Shape shape) {
    int batch = model.maxBatchSize() > 0 && shape.rank() > 0 ? 1 : 0;
    return Arrays.stream(shape.dims()).skip(batch).boxed().toList();
  }

  /** Returns how a configuration names a type. */
  public static String word(DataType type) {
    return switch (type) {
      case BYTES -> "TYPE_STRING";
      default -> type.isCommon() ? "TYPE_" + type.name() : "TYPE_INVALID";
    };
  }
}
