package dev.sluice.config.compat.tfs;

import dev.sluice.config.binding.ProtoFields;
import dev.sluice.config.binding.SettingsFile;
import dev.sluice.config.binding.TextProto;
import dev.sluice.config.server.ListenerConfig;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Reads a monitoring config file of TensorFlow Serving: its message {@code MonitoringConfig} as
 * text.
 */
public final class TensorflowMonitoringFile {
  private static final String PATH = "/monitoring/prometheus/metrics";
  private static final Set<String> KNOWN =
      Set.of("prometheus_config.enable", "prometheus_config.path");

  private TensorflowMonitoringFile() {}

  /**
   * Returns the path of the Prometheus page; empty if there is to be none.
   *
   * @param warnings receives once the fields that have no meaning here
   * @throws dev.sluice.config.binding.ConfigException if it is not in the format, or the path is
   *     none
   */
  public static Optional<String> read(Path file, Consumer<String> warnings) {
    String name = file.toString();
    var monitoring = new ProtoFields(name, TextProto.read(name, SettingsFile.read(file)));
    monitoring.warnOfUnknown(KNOWN, warnings);
    return monitoring
        .inner("prometheus_config")
        .filter(prometheus -> prometheus.flag("enable").orElse(false))
        .map(TensorflowMonitoringFile::path);
  }

  private static String path(ProtoFields prometheus) {
    String path = prometheus.text("path").filter(text -> !text.isEmpty()).orElse(PATH);
    if (!ListenerConfig.isMetricsPath(path)) {
      throw prometheus.error("path", path, "a path such as " + PATH);
    }
    return path;
  }
}
