package dev.sluice.config;

import dev.sluice.config.TextProto.Message;
import dev.sluice.config.TextProto.Scalar;
import dev.sluice.config.TextProto.Value;
import java.math.BigInteger;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

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
          "max_batch_size",
          "version_policy.latest.num_versions",
          "version_policy.all",
          "version_policy.specific.versions",
          "instance_group.name",
          "instance_group.count",
          "instance_group.kind",
          "dynamic_batching.max_queue_delay_microseconds",
          "dynamic_batching.default_queue_policy.max_queue_size");

  /** Where instances run here anyway. */
  private static final Set<String> KINDS = Set.of("KIND_CPU", "KIND_AUTO");

  private final String file;
  private final Consumer<String> warnings;

  TritonModelConfig(String file, Consumer<String> warnings) {
    this.file = file;
    this.warnings = warnings;
  }

  ModelConfig read(String text, ModelConfig defaults) {
    Message model = TextProto.read(file, text);
    warnOfTheRest(model);
    return new ModelConfig(
        policy(model).orElse(defaults.versionPolicy()),
        defaults.labels(),
        number(model, "max_batch_size", ModelConfig.LARGEST_BATCH).orElse(defaults.maxBatchSize()),
        batching(model)
            .flatMap(batching -> microseconds(batching, "max_queue_delay_microseconds"))
            .orElse(defaults.maxQueueDelay()),
        instances(model).orElse(defaults.instances()),
        batching(model)
            .flatMap(batching -> message(batching, "default_queue_policy"))
            .flatMap(policy -> number(policy, "max_queue_size", ModelConfig.LONGEST_QUEUE))
            // Triton's 0 is no limit at all; here every queue is bounded.
            .filter(size -> size > 0)
            .orElse(defaults.maxQueuedRequests()),
        defaults.admission(),
        defaults.warmup(),
        defaults.runtimes());
  }

  private Optional<VersionPolicyConfig> policy(Message model) {
    return message(model, "version_policy").map(this::policyIn);
  }

  private VersionPolicyConfig policyIn(Message policy) {
    Optional<Message> specific = message(policy, "specific");
    if (specific.isPresent()) {
      return new VersionPolicyConfig.Specific(versions(specific.get()));
    }
    if (policy.fields().containsKey("all")) {
      return new VersionPolicyConfig.All();
    }
    return new VersionPolicyConfig.Latest(
        message(policy, "latest")
            .flatMap(latest -> number(latest, "num_versions", Integer.MAX_VALUE))
            .filter(count -> count > 0)
            .orElse(1));
  }

  private Set<Long> versions(Message specific) {
    Set<Long> versions = new LinkedHashSet<>();
    for (Value value : specific.fields().getOrDefault("versions", List.of())) {
      versions.add(whole("versions", value, Long.MAX_VALUE));
    }
    return versions;
  }

  private Optional<Message> batching(Message model) {
    return message(model, "dynamic_batching");
  }

  /** The counts of all groups; a group without one is one instance. */
  private Optional<Integer> instances(Message model) {
    List<Value> groups = model.fields().getOrDefault("instance_group", List.of());
    long count = 0;
    for (Value group : groups) {
      count +=
          number(table("instance_group", group), "count", ModelConfig.MOST_INSTANCES).orElse(1);
    }
    if (count > ModelConfig.MOST_INSTANCES) {
      throw error("instance_group", count + " instances", "at most " + ModelConfig.MOST_INSTANCES);
    }
    return count == 0 ? Optional.empty() : Optional.of((int) count);
  }

  private Optional<Duration> microseconds(Message message, String field) {
    long longest = Units.LONGEST.toMillis() * 1_000;
    return last(message, field)
        .map(value -> Duration.ofNanos(whole(field, value, longest) * 1_000));
  }

  private Optional<Integer> number(Message message, String field, int highest) {
    return last(message, field).map(value -> (int) whole(field, value, highest));
  }

  private long whole(String field, Value value, long highest) {
    String text = value instanceof Scalar scalar ? scalar.text() : "a message";
    String wanted = "a whole number from 0 to " + highest;
    if (!text.matches("\\d{1,19}")
        || new BigInteger(text).compareTo(BigInteger.valueOf(highest)) > 0) {
      throw error(field, text, wanted);
    }
    return Long.parseLong(text);
  }

  private Optional<Message> message(Message outer, String field) {
    return last(outer, field).map(value -> table(field, value));
  }

  private Message table(String field, Value value) {
    return switch (value) {
      case Message message -> message;
      case Scalar(String text) -> throw error(field, text, "a message in braces");
    };
  }

  /** As in the format itself, the last of several wins. */
  private static Optional<Value> last(Message message, String field) {
    List<Value> values = message.fields().getOrDefault(field, List.of());
    return values.isEmpty() ? Optional.empty() : Optional.of(values.getLast());
  }

  private ConfigException error(String field, String got, String wanted) {
    return new ConfigException(file + ": " + field + " is " + got + "; wanted " + wanted);
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
    if (name.equals("instance_group.kind")) {
      if (value instanceof Scalar(String kind) && !KINDS.contains(kind)) {
        unknown.add(name + " " + kind);
      }
    } else if (!KNOWN.contains(name)) {
      if (value instanceof Message inner && leadsToKnown(name)) {
        collectUnknown(name, inner, unknown);
      } else {
        unknown.add(name);
      }
    }
  }

  private static boolean leadsToKnown(String name) {
    return KNOWN.stream().anyMatch(known -> known.startsWith(name + "."));
  }
}
