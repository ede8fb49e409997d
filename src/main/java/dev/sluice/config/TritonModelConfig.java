package dev.sluice.config;

import dev.sluice.config.TextProto.Message;
import dev.sluice.config.TextProto.Scalar;
import dev.sluice.config.TextProto.Value;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * What a Triton {@code config.pbtxt} says that Sluice also knows. The rest is named in one warning.
 * What the model itself says, its inputs and outputs, is read from the model.
 */
final class TritonModelConfig {
  /** Fields that are read here, or that only repeat what the model's files say. */
  private static final Set<String> KNOWN =
      Set.of(
          "name",
          "platform",
          "backend",
          "default_model_filename",
          "input.name",
          "input.data_type",
          "input.dims",
          "output.name",
          "output.data_type",
          "output.dims",
          "output.label_filename",
          "max_batch_size",
          "version_policy.latest.num_versions",
          "version_policy.all",
          "version_policy.specific.versions",
          "instance_group.name",
          "instance_group.count",
          "instance_group.kind",
          "input.optional",
          "ensemble_scheduling.step.model_name",
          "ensemble_scheduling.step.model_version",
          "ensemble_scheduling.step.input_map",
          "ensemble_scheduling.step.output_map",
          "model_transaction_policy.decoupled",
          "dynamic_batching.max_queue_delay_microseconds",
          "dynamic_batching.preferred_batch_size",
          "dynamic_batching.priority_levels",
          "dynamic_batching.default_priority_level",
          "dynamic_batching.default_queue_policy.allow_timeout_override",
          "dynamic_batching.default_queue_policy.default_timeout_microseconds",
          "dynamic_batching.default_queue_policy.max_queue_size",
          "dynamic_batching.default_queue_policy.timeout_action");

  /** What is done here anyway: where instances run, and what becomes of who waits too long. */
  private static final Map<String, Set<String>> ONLY =
      Map.of(
          "instance_group.kind",
          Set.of("KIND_CPU", "KIND_AUTO"),
          "dynamic_batching.default_queue_policy.timeout_action",
          Set.of("REJECT"));

  private final String file;
  private final Consumer<String> warnings;

  TritonModelConfig(String file, Consumer<String> warnings) {
    this.file = file;
    this.warnings = warnings;
  }

  ModelConfig read(String text, ModelConfig defaults) {
    var model = new ProtoFields(file, TextProto.read(file, text));
    warnOfTheRest(model.message());
    var scheduling = new TritonScheduling(model);
    return new ModelConfig(
        model.inner("version_policy").map(this::policy).orElse(defaults.versionPolicy()),
        defaults.labels(),
        scheduling.batching(defaults.batching()),
        scheduling.queue(defaults.queue()),
        instances(model).orElse(defaults.instances()),
        defaults.admission(),
        defaults.warmup(),
        defaults.explain(),
        defaults.runtimes(),
        stream(model, defaults.stream()),
        new TritonEnsemble(model).read(),
        classLabels(model),
        new TritonSequences(model).read());
  }

  private static Map<String, Path> classLabels(ProtoFields model) {
    Map<String, Path> files = new LinkedHashMap<>();
    for (ProtoFields output : model.inners("output")) {
      output
          .text("label_filename")
          .filter(file -> !file.isEmpty())
          .ifPresent(file -> files.put(output.text("name").orElse(""), Path.of(file)));
    }
    return files;
  }

  private VersionPolicyConfig policy(ProtoFields policy) {
    Optional<ProtoFields> specific = policy.inner("specific");
    if (specific.isPresent()) {
      return new VersionPolicyConfig.Specific(
          new LinkedHashSet<>(specific.get().numbers("versions", 0, Long.MAX_VALUE)));
    }
    if (policy.has("all")) {
      return new VersionPolicyConfig.All();
    }
    return new VersionPolicyConfig.Latest(
        policy
            .inner("latest")
            .flatMap(latest -> latest.number("num_versions", Integer.MAX_VALUE))
            .filter(count -> count > 0)
            .orElse(1));
  }

  private static StreamConfig stream(ProtoFields model, StreamConfig defaults) {
    return model
        .inner("model_transaction_policy")
        .flatMap(policy -> policy.flag("decoupled"))
        .map(defaults::withDecoupled)
        .orElse(defaults);
  }

  /** The counts of all groups; a group without one is one instance. */
  private static Optional<Integer> instances(ProtoFields model) {
    long count = 0;
    for (ProtoFields group : model.inners("instance_group")) {
      count += group.number("count", ModelConfig.MOST_INSTANCES).orElse(1);
    }
    if (count > ModelConfig.MOST_INSTANCES) {
      throw model.error(
          "instance_group", count + " instances", "at most " + ModelConfig.MOST_INSTANCES);
    }
    return count == 0 ? Optional.empty() : Optional.of((int) count);
  }

  private void warnOfTheRest(Message model) {
    Set<String> unknown = new TreeSet<>();
    collectUnknown("", model, unknown);
    if (!unknown.isEmpty()) {
      warnings.accept(file + ": has no meaning here: " + String.join(", ", unknown));
    }
  }

  private static void collectUnknown(String path, Message message, Set<String> unknown) {
    message
        .fields()
        .forEach((field, values) -> {
          String name = Section.join(path, field);
          for (Value value : values) {
            collectUnknown(name, value, unknown);
          }
        });
  }

  private static void collectUnknown(String name, Value value, Set<String> unknown) {
    Set<String> only = ONLY.get(name);
    if (only != null) {
      if (value instanceof Scalar(String word) && !only.contains(word)) {
        unknown.add(name + " " + word);
      }
    } else if (!isKnown(name)) {
      if (value instanceof Message inner && leadsToKnown(name)) {
        collectUnknown(name, inner, unknown);
      } else {
        unknown.add(name);
      }
    }
  }

  private static boolean isKnown(String name) {
    return KNOWN.contains(name) || TritonSequences.KNOWN.contains(name);
  }

  private static boolean leadsToKnown(String name) {
    return Stream.concat(KNOWN.stream(), TritonSequences.KNOWN.stream())
        .anyMatch(known -> known.startsWith(name + "."));
  }
}
