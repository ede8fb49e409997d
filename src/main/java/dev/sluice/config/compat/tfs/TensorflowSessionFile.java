package dev.sluice.config.compat.tfs;

import dev.sluice.config.binding.SettingOverride;
import dev.sluice.config.binding.SettingsFile;
import dev.sluice.config.model.SessionOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads a session config file of TensorFlow Serving: the message {@code ConfigProto} as text. */
public final class TensorflowSessionFile {
  private static final String FLAG = "--tensorflow_session_config_file";

  private TensorflowSessionFile() {}

  /**
   * Returns the settings that a file stands for. Its numbers of threads are settings of their own,
   * which flags may replace.
   *
   * @throws dev.sluice.config.binding.ConfigException if it is not in the format
   */
  public static List<SettingOverride> read(Path file) {
    return of(SessionOptions.read(file.toString(), SettingsFile.read(file)), FLAG);
  }

  static List<SettingOverride> of(SessionOptions options, String origin) {
    List<SettingOverride> overrides = new ArrayList<>();
    overrides.add(new SettingOverride("tensorflow.session_options", options.text(), origin));
    options
        .intraOpThreads()
        .ifPresent(threads ->
            overrides.add(
                new SettingOverride("tensorflow.intra_op_threads", "" + threads, origin)));
    options
        .interOpThreads()
        .ifPresent(threads ->
            overrides.add(
                new SettingOverride("tensorflow.inter_op_threads", "" + threads, origin)));
    return overrides;
  }
}
