package dev.sluice.config.compat.tfs;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.binding.ProtoFields;
import dev.sluice.config.binding.SettingsFile;
import dev.sluice.config.binding.TextProto;
import dev.sluice.config.model.VersionPolicyConfig;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Reads a model config file of TensorFlow Serving: its message {@code ModelServerConfig} as text.
 *
 * <p>Protobuf's text format. Fields that the message does not have are rejected in the words of
 * TensorFlow Serving's own parser.
 */
public final class TensorflowModelFile {
  private static final String CONFIG = "model_config_list.config.";
  private static final Set<String> KNOWN =
      Set.of(
          CONFIG + "name",
          CONFIG + "base_path",
          CONFIG + "model_platform",
          CONFIG + "model_type",
          CONFIG + "model_version_policy.latest.num_versions",
          CONFIG + "model_version_policy.all",
          CONFIG + "model_version_policy.specific.versions",
          CONFIG + "logging_config.log_collector_config.type",
          CONFIG + "logging_config.log_collector_config.filename_prefix",
          CONFIG + "logging_config.sampling_config.sampling_rate",
          CONFIG + "version_labels.key",
          CONFIG + "version_labels.value");

  private TensorflowModelFile() {}

  /** Returns the text of a file. Blocks. */
  public static String text(Path file) {
    return SettingsFile.read(file);
  }

  /**
   * Returns the models that a file lists; empty if it has no list at all, not even an empty one.
   *
   * @param file its name, for texts
   * @param warnings receives once the fields that have no meaning here
   * @throws ConfigException if it is not in the format, in TensorFlow Serving's words
   */
  public static Optional<List<TensorflowModel>> read(
      String file, String text, Consumer<String> warnings) {
    try {
      var config = new ProtoFields(file, TextProto.read(file, text));
      config.warnOfUnknown(KNOWN, warnings);
      return config
          .inner("model_config_list")
          .map(list -> list.inners("config").stream().map(TensorflowModelFile::model).toList());
    } catch (ConfigException e) {
      throw new ConfigException(
          "Error parsing text-format tensorflow.serving.ModelServerConfig: " + e.getMessage());
    }
  }

  private static TensorflowModel model(ProtoFields config) {
    return new TensorflowModel(
        config.text("name").orElse(""),
        config.text("base_path").orElse(""),
        config.text("model_platform").orElse(""),
        config.text("model_type").map(TensorflowModelFile::type).orElse(""),
        config.inner("model_version_policy").flatMap(TensorflowModelFile::policy),
        labels(config),
        TensorflowLogging.read(config));
  }

  /** Enums may be written as numbers; the first constant is the same as none. */
  private static String type(String word) {
    return switch (word) {
      case "0", "MODEL_TYPE_UNSPECIFIED" -> "";
      case "1" -> "TENSORFLOW";
      case "2" -> "OTHER";
      default -> word;
    };
  }

  private static Optional<VersionPolicyConfig> policy(ProtoFields policy) {
    Optional<ProtoFields> specific = policy.inner("specific");
    if (specific.isPresent()) {
      return Optional.of(
          new VersionPolicyConfig.Specific(
              new LinkedHashSet<>(specific.get().numbers("versions", 0, Long.MAX_VALUE))));
    }
    if (policy.has("all")) {
      return Optional.of(new VersionPolicyConfig.All());
    }
    return policy
        .inner("latest")
        .map(latest -> latest.number("num_versions", Integer.MAX_VALUE).orElse(1))
        .map(count -> new VersionPolicyConfig.Latest(Math.max(1, count)));
  }

  private static Map<String, Long> labels(ProtoFields config) {
    Map<String, Long> labels = new LinkedHashMap<>();
    for (ProtoFields label : config.inners("version_labels")) {
      List<Long> version = label.numbers("value", 0, Long.MAX_VALUE);
      labels.put(label.text("key").orElse(""), version.isEmpty() ? 0L : version.getLast());
    }
    return labels;
  }
}
