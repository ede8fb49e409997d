package dev.sluice.boot.compat;

import dev.sluice.config.binding.SettingOverride;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Parses {@code --backend-config}: {@code [BACKEND,]NAME=VALUE}. */
final class TritonBackendConfig {
  private static final String BATCH = "default-max-batch-size";

  /** Settings of backends, by their names in the flag. */
  private static final Map<String, String> SETTINGS =
      Map.of(
          "onnxruntime,intra_op_thread_count",
          "onnx.intra_op_threads",
          "onnxruntime,inter_op_thread_count",
          "onnx.inter_op_threads",
          "tensorflow,num_intra_threads",
          "tensorflow.intra_op_threads",
          "tensorflow,num_inter_threads",
          "tensorflow.inter_op_threads");

  private TritonBackendConfig() {}

  /**
   * Returns the settings that the flags stand for.
   *
   * @param warnings get what has no effect here
   */
  static List<SettingOverride> of(CompatFlags<TritonFlag> flags, Consumer<String> warnings) {
    List<SettingOverride> overrides = new ArrayList<>();
    boolean asWritten =
        flags.on(TritonFlag.DISABLE_AUTO_COMPLETE_CONFIG, false)
            || flags.on(TritonFlag.STRICT_MODEL_CONFIG, false);
    for (String text : flags.all(TritonFlag.BACKEND_CONFIG)) {
      int equals = text.indexOf('=');
      if (equals < 1 || equals == text.length() - 1) {
        throw CompatFlags.wanted(TritonFlag.BACKEND_CONFIG, text, "[BACKEND,]NAME=VALUE");
      }
      String name = text.substring(0, equals);
      String value = text.substring(equals + 1);
      String setting = SETTINGS.get(name);
      if (name.substring(name.indexOf(',') + 1).equals(BATCH)) {
        if (!asWritten) {
          overrides.add(override("models.defaults.default_max_batch_size", value));
        }
      } else if (setting != null) {
        overrides.add(override(setting, value));
      } else {
        warnings.accept(
            "--backend-config=" + text + " has no effect: no backend here has such a setting");
      }
    }
    return overrides;
  }

  private static SettingOverride override(String path, String value) {
    return new SettingOverride(path, value, TritonFlag.BACKEND_CONFIG.flag());
  }
}
