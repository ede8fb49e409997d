package dev.sluice.config.otlp;

import dev.sluice.config.binding.Section;
import java.time.Duration;

/**
 * Metrics that are sent to a collector by OTLP, beside the page that is scraped: those by Sluice's
 * own names, of the Java VM, of the process and of plugins.
 *
 * @param collector where they are sent
 * @param interval time from one sending to the next, at least 1s
 */
public record MetricsExportConfig(CollectorConfig collector, Duration interval) {
  static final Duration SHORTEST = Duration.ofSeconds(1);

  public static final MetricsExportConfig DEFAULT =
      new MetricsExportConfig(CollectorConfig.NONE, Duration.ofMinutes(1));

  /** Reads the settings of exported metrics. */
  public static MetricsExportConfig read(Section export) {
    var read =
        new MetricsExportConfig(
            CollectorConfig.read(export), export.duration("interval", DEFAULT.interval));
    if (read.interval.compareTo(SHORTEST) < 0) {
      throw export.error(
          "interval", "is shorter than 1s; wanted more, since each time every series is read");
    }
    return read;
  }
}
