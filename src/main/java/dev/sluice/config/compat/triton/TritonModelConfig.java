package dev.sluice.config.compat.triton;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.binding.ProtoFields;
import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.TextProto;
import dev.sluice.config.binding.TextProto.Message;
import dev.sluice.config.binding.TextProto.Scalar;
import dev.sluice.config.binding.TextProto.Value;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.StreamConfig;
import dev.sluice.config.model.VersionPolicyConfig;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
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
  /** Options with the only value that is supported: where instances run. */
  private static final Map<String, Set<String>> ONLY =
      Map.of("instance_group.kind", Set.of("KIND_CPU", "KIND_AUTO"));

  private final String file;
  private final String folder;
  private final Consumer<String> warnings;

  /**
   * @param folder the model's folder, whose name is the model's
   */
  public TritonModelConfig(String file, String folder, Consumer<String> warnings) {
    this.file = file;
    this.folder = folder;
    this.warnings = warnings;
  }

  public ModelConfig read(String text, ModelConfig defaults) {
    return read(TextProto.read(file, text), defaults);
  }

  /** Reads the JSON form of the same, as load requests carry it. */
  public ModelConfig readJson(String json, ModelConfig defaults) {
    return read(TritonJson.read(file, json), defaults);
  }

  private ModelConfig read(Message message, ModelConfig defaults) {
    var model = new ProtoFields(file, message);
    requireName(model);
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
        new TritonOptimization(model).runtimes(defaults.runtimes()),
        stream(model, defaults.stream()),
        new TritonEnsemble(model).read(),
        classLabels(model),
        new TritonSequences(model).read(),
        model
            .inner("response_cache")
            .flatMap(cache -> cache.flag("enable"))
            .orElse(defaults.responseCache()),
        declared(message),
        defaults.warmupIterations(),
        defaults.breaker());
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

  /** Rejects a name that is not the folder's, as Triton does: it is a mistake of copying. */
  private void requireName(ProtoFields model) {
    model
        .text("name")
        .filter(name -> !name.isEmpty() && !name.equals(folder))
        .ifPresent(name -> {
          throw new ConfigException(
              file
                  + ": unexpected directory name '"
                  + folder
                  + "' for model '"
                  + name
                  + "', directory name must equal model name");
        });
  }

  private Map<String, Object> declared(Message message) {
    Set<String> ignored = new TreeSet<>();
    Map<String, Object> declared = TritonTree.of(file, message, ignored);
    collectOtherWords("", message, ignored);
    if (!ignored.isEmpty()) {
      warnings.accept(file + ": has no meaning here: " + String.join(", ", ignored));
    }
    return declared;
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

  /** Returns the counts of all groups; a group without one is one instance. */
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

  private static void collectOtherWords(String path, Message message, Set<String> others) {
    message
        .fields()
        .forEach((field, values) -> {
          String name = Section.join(path, field);
          for (Value value : values) {
            switch (value) {
              case Message inner -> collectOtherWords(name, inner, others);
              case Scalar(String word) when !ONLY.getOrDefault(name, Set.of(word)).contains(word) ->
                  others.add(name + " " + word);
              case Scalar _ -> {}
            }
          }
        });
  }
}
