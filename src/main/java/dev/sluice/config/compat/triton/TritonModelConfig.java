package dev.sluice.config.compat.triton;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.binding.Section;
import dev.sluice.config.compat.triton.proto.ModelInstanceGroup.Kind;
import dev.sluice.config.compat.triton.proto.ModelOutput;
import dev.sluice.config.compat.triton.proto.ModelVersionPolicy;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.ModelConfig.Workers;
import dev.sluice.config.model.StreamConfig;
import dev.sluice.config.model.VersionPolicyConfig;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * A Triton {@code config.pbtxt}: what Sluice also knows becomes settings, all of it is kept to be
 * shown, and what has no meaning here is named in one warning.
 */
public final class TritonModelConfig {
  /** Fields that are kept and shown, and that nothing here follows. */
  private static final Set<String> NOT_FOLLOWED =
      Set.of(
          "cc_model_filenames",
          "dynamic_batching.preserve_ordering",
          "ensemble_scheduling.max_inflight_requests",
          "ensemble_scheduling.step.model_namespace",
          "input.is_non_linear_format_io",
          "input.is_shape_tensor",
          "instance_group.gpus",
          "instance_group.host_policy",
          "instance_group.passive",
          "instance_group.profile",
          "instance_group.secondary_devices",
          "metric_tags",
          "model_metrics",
          "model_operations",
          "model_repository_agents",
          "optimization.cuda",
          "optimization.eager_batching",
          "optimization.execution_accelerators",
          "optimization.gather_kernel_buffer_threshold",
          "optimization.input_pinned_memory",
          "optimization.output_pinned_memory",
          "optimization.priority",
          "output.is_non_linear_format_io",
          "output.is_shape_tensor",
          "sequence_batching.direct.max_queue_delay_microseconds",
          "sequence_batching.direct.minimum_slot_utilization",
          "sequence_batching.iterative_sequence",
          "sequence_batching.oldest.max_queue_delay_microseconds",
          "sequence_batching.oldest.preferred_batch_size",
          "sequence_batching.oldest.preserve_ordering",
          "sequence_batching.state.use_growable_memory",
          "sequence_batching.state.use_same_buffer_for_input_output");

  private final TritonFields fields;
  private final String folder;
  private final Consumer<String> warnings;

  /**
   * @param folder the model's folder, whose name is the model's
   */
  public TritonModelConfig(String file, String folder, Consumer<String> warnings) {
    this.fields = new TritonFields(file);
    this.folder = folder;
    this.warnings = warnings;
  }

  public ModelConfig read(String text, ModelConfig defaults) {
    Set<String> ignored = new TreeSet<>();
    return readPaths(TritonText.read(fields.file(), text, ignored), ignored, defaults);
  }

  /** Reads the JSON form of the same, as load requests carry it. */
  public ModelConfig readJson(String json, ModelConfig defaults) {
    Set<String> ignored = new TreeSet<>();
    return readPaths(TritonJson.read(fields.file(), json, ignored), ignored, defaults);
  }

  private ModelConfig readPaths(
      dev.sluice.config.compat.triton.proto.ModelConfig model,
      Set<String> ignored,
      ModelConfig defaults) {
    try {
      return read(model, ignored, defaults);
    } catch (InvalidPathException e) {
      throw ConfigException.noPath(fields.file(), e);
    }
  }

  private ModelConfig read(
      dev.sluice.config.compat.triton.proto.ModelConfig model,
      Set<String> ignored,
      ModelConfig defaults) {
    requireName(model.getName());
    new TritonRagged(fields, model).require();
    var scheduling = new TritonScheduling(fields, model);
    var config =
        new ModelConfig(
            versionPolicy(model, defaults),
            defaults.labels(),
            scheduling.batching(defaults.batching()),
            scheduling.queue(defaults.queue()),
            workers(model, defaults),
            defaults.admission(),
            defaults.warmup(),
            defaults.explain(),
            new TritonOptimization(fields, model).runtimes(defaults.runtimes()),
            stream(model, defaults.stream()),
            new TritonEnsemble(fields, model).read(),
            classLabels(model.getOutputList()),
            new TritonSequences(fields, model).read(),
            responseCache(model, defaults),
            model,
            defaults.warmupIterations(),
            defaults.breaker(),
            defaults.encoder(),
            Optional.empty());
    warnOfNotFollowed(model, ignored);
    return config;
  }

  private void warnOfNotFollowed(
      dev.sluice.config.compat.triton.proto.ModelConfig model, Set<String> ignored) {
    collectNotFollowed("", model, ignored);
    if (!ignored.isEmpty()) {
      warnings.accept(fields.file() + ": has no meaning here: " + String.join(", ", ignored));
    }
  }

  private static boolean responseCache(
      dev.sluice.config.compat.triton.proto.ModelConfig model, ModelConfig defaults) {
    return model.hasResponseCache()
        ? model.getResponseCache().getEnable()
        : defaults.responseCache();
  }

  private static Map<String, Path> classLabels(List<ModelOutput> outputs) {
    Map<String, Path> files = new LinkedHashMap<>();
    for (ModelOutput output : outputs) {
      if (!output.getLabelFilename().isEmpty()) {
        files.put(output.getName(), Path.of(output.getLabelFilename()));
      }
    }
    return files;
  }

  /** Rejects a name that is not the folder's, as Triton does: it is a mistake of copying. */
  private void requireName(String name) {
    if (!name.isEmpty() && !name.equals(folder)) {
      throw new ConfigException(
          fields.file()
              + ": unexpected directory name '"
              + folder
              + "' for model '"
              + name
              + "', directory name must equal model name");
    }
  }

  private VersionPolicyConfig versionPolicy(
      dev.sluice.config.compat.triton.proto.ModelConfig model, ModelConfig defaults) {
    return model.hasVersionPolicy() ? policy(model.getVersionPolicy()) : defaults.versionPolicy();
  }

  private VersionPolicyConfig policy(ModelVersionPolicy policy) {
    return switch (policy.getPolicyChoiceCase()) {
      case SPECIFIC -> {
        List<Long> versions = policy.getSpecific().getVersionsList();
        versions.forEach(version -> fields.whole("versions", version, 0, Long.MAX_VALUE));
        yield new VersionPolicyConfig.Specific(new LinkedHashSet<>(versions));
      }
      case ALL -> new VersionPolicyConfig.All();
      case LATEST, POLICYCHOICE_NOT_SET ->
          new VersionPolicyConfig.Latest(
              Math.max(
                  1,
                  fields.number(
                      "num_versions",
                      Integer.toUnsignedLong(policy.getLatest().getNumVersions()),
                      Integer.MAX_VALUE)));
    };
  }

  private static StreamConfig stream(
      dev.sluice.config.compat.triton.proto.ModelConfig model, StreamConfig defaults) {
    return model.hasModelTransactionPolicy()
        ? defaults.withDecoupled(model.getModelTransactionPolicy().getDecoupled())
        : defaults;
  }

  /**
   * Returns a worker for each instance of the groups, where Triton has a session. Workers share
   * one, so that weights are in memory once, unless requests of a sequence are to find the state
   * that their instance keeps, or sessions are in processes of their own.
   */
  private Workers workers(
      dev.sluice.config.compat.triton.proto.ModelConfig model, ModelConfig defaults) {
    int count = instances(model);
    if (count == 0) {
      return defaults.workers();
    }
    boolean apart = model.hasSequenceBatching() || defaults.runtimes().isolatesAny();
    return apart ? new Workers(count, 1) : new Workers(1, count);
  }

  /** Returns the counts of all groups; a group without one is one instance. */
  private int instances(dev.sluice.config.compat.triton.proto.ModelConfig model) {
    long count = 0;
    for (var group : model.getInstanceGroupList()) {
      count += Math.max(1, fields.number("count", group.getCount(), ModelConfig.MOST_INSTANCES));
    }
    if (count > ModelConfig.MOST_INSTANCES) {
      throw fields.error(
          "instance_group", count + " instances", "at most " + ModelConfig.MOST_INSTANCES);
    }
    return (int) count;
  }

  private static void collectNotFollowed(String path, Message message, Set<String> found) {
    message
        .getAllFields()
        .forEach((field, value) -> {
          String name = Section.join(path, field.getName());
          if (NOT_FOLLOWED.contains(name)) {
            found.add(name);
          } else if (name.equals("instance_group.kind")
              && !value.equals(Kind.KIND_CPU.getValueDescriptor())) {
            found.add(name + " " + value);
          } else if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
            List<?> items = value instanceof List<?> list ? list : List.of(value);
            items.forEach(item -> collectNotFollowed(name, (Message) item, found));
          }
        });
  }
}
