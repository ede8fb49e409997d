package dev.sluice.config.compat.tfs;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.binding.ProtoFields;
import dev.sluice.config.binding.SettingOverride;
import dev.sluice.config.binding.SettingsFile;
import dev.sluice.config.binding.TextProto;
import dev.sluice.config.binding.TextProto.Message;
import dev.sluice.config.binding.TextProto.Scalar;
import dev.sluice.config.model.SessionOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Reads a platform config file of TensorFlow Serving: its message {@code PlatformConfigMap} as
 * text, of which the platform {@code tensorflow} is the one that is here.
 */
public final class TensorflowPlatformFile {
  private static final String FLAG = "--platform_config_file";
  private static final String TENSORFLOW = "tensorflow";
  private static final String ADAPTER =
      "[type.googleapis.com/tensorflow.serving.SavedModelBundleSourceAdapterConfig]";

  /** Options that are known; those without effect here are named in a warning. */
  private static final Set<String> KNOWN =
      Set.of(
          "session_config",
          "batching_parameters",
          "saved_model_tags",
          "enable_model_warmup",
          "model_warmup_options.num_request_iterations.value",
          "enable_per_model_batching_params",
          "mixed_precision");

  private final ProtoFields bundle;
  private final List<SettingOverride> overrides = new ArrayList<>();

  private TensorflowPlatformFile(ProtoFields bundle) {
    this.bundle = bundle;
  }

  /**
   * Returns the settings of all models that a file stands for.
   *
   * @param warnings receives once the fields that have no meaning here
   * @throws ConfigException if it is not in the format, or has another platform
   */
  public static List<SettingOverride> read(Path file, Consumer<String> warnings) {
    String name = file.toString();
    var map = new ProtoFields(name, TextProto.read(name, SettingsFile.read(file)));
    map.refuseUnknown("tensorflow.serving.PlatformConfigMap", Set.of("platform_configs"));
    List<ProtoFields> platforms = map.inners("platform_configs");
    for (ProtoFields platform : platforms) {
      if (!platform.text("key").orElse("").equals(TENSORFLOW)) {
        throw new ConfigException(
            "%s: platform '%s' is not served here; wanted %s"
                .formatted(name, platform.text("key").orElse(""), TENSORFLOW));
      }
    }
    if (platforms.isEmpty()) {
      throw new ConfigException(name + ": has no platform_configs; wanted one for " + TENSORFLOW);
    }
    return new TensorflowPlatformFile(bundle(name, platforms.getLast())).read(warnings);
  }

  private static ProtoFields bundle(String file, ProtoFields platform) {
    Optional<ProtoFields> adapter =
        platform.inner("value").flatMap(value -> value.inner("source_adapter_config"));
    return adapter
        .flatMap(any -> any.inner(ADAPTER))
        .map(found ->
            found
                .inner("legacy_config")
                .orElseGet(() -> new ProtoFields(file, TextProto.read(file, ""))))
        .orElseThrow(() ->
            new ConfigException(
                file + ": platform 'tensorflow' has no source_adapter_config; wanted " + ADAPTER));
  }

  private List<SettingOverride> read(Consumer<String> warnings) {
    bundle.warnOfUnknown(KNOWN, warnings);
    bundle
        .inner("session_config")
        .map(session -> SessionOptions.read(bundle.file(), text(session.message())))
        .ifPresent(options -> overrides.addAll(TensorflowSessionFile.of(options, FLAG)));
    List<String> tags = bundle.texts("saved_model_tags");
    if (!tags.isEmpty()) {
      set("tensorflow.tags", String.join(",", tags));
    }
    bundle
        .flag("enable_model_warmup")
        .ifPresent(on -> set("models.defaults.warmup", String.valueOf(on)));
    bundle
        .inner("model_warmup_options")
        .flatMap(options -> options.inner("num_request_iterations"))
        .flatMap(iterations -> iterations.number("value", Integer.MAX_VALUE))
        .ifPresent(times -> set("models.defaults.warmup_iterations", "" + Math.max(1, times)));
    bundle
        .text("mixed_precision")
        .filter("bfloat16"::equals)
        .ifPresent(_ -> set("tensorflow.mixed_precision", "true"));
    batching(warnings);
    return overrides;
  }

  private void batching(Consumer<String> warnings) {
    Optional<ProtoFields> parameters = bundle.inner("batching_parameters");
    if (parameters.isEmpty()) {
      return;
    }
    TensorflowBatchingFile file = TensorflowBatchingFile.of(parameters.get(), FLAG, warnings);
    overrides.add(file.threads());
    if (bundle.flag("enable_per_model_batching_params").orElse(false)) {
      set("models.tensorflow_config.batching_in_versions", "true");
    } else {
      overrides.addAll(file.overrides());
    }
  }

  private void set(String path, String value) {
    overrides.add(new SettingOverride(path, value, FLAG));
  }

  /** Returns a message as text again. */
  private static String text(Message message) {
    var text = new StringBuilder();
    message
        .fields()
        .forEach((name, values) ->
            values.forEach(value -> {
              text.append(name);
              switch (value) {
                case Message inner -> text.append(" {").append(text(inner)).append("} ");
                case Scalar(String word) ->
                    text.append(": ")
                        .append(word.matches("[\\w.+-]+") ? word : "\"" + word + "\"")
                        .append(' ');
              }
            }));
    return text.toString();
  }
}
