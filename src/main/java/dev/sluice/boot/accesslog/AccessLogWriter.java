package dev.sluice.boot.accesslog;

import static dev.sluice.telemetry.exposition.MetricsPage.Kind.COUNTER;

import dev.sluice.boot.log.CountedWrites;
import dev.sluice.boot.log.LineFormat;
import dev.sluice.boot.log.LineSink;
import dev.sluice.boot.log.LineTarget;
import dev.sluice.boot.log.LineTargets;
import dev.sluice.boot.log.LogQueue;
import dev.sluice.config.server.AccessLogConfig;
import dev.sluice.config.server.AccessLogPattern;
import dev.sluice.telemetry.access.AccessEntry;
import dev.sluice.telemetry.access.AccessLog;
import dev.sluice.telemetry.exposition.MetricSource;
import dev.sluice.telemetry.exposition.MetricsPage;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the entries of the access log as lines, on a thread of its own. Event loops only hand
 * entries over: what that thread does not keep up with is dropped and counted.
 */
public final class AccessLogWriter implements AccessLog, MetricSource, AutoCloseable {
  /** The logger that an operator's own configuration of Logback may route. */
  public static final String LOGGER = "sluice.access";

  private static final String NAME = "access log";

  private static final Logger LOG = LoggerFactory.getLogger(AccessLogWriter.class);

  private final boolean probes;
  private final CountedWrites writes = new CountedWrites(NAME, LOG);
  private final LogQueue<AccessEntry> queue;

  private AccessLogWriter(AccessLogConfig config, LineTarget target) {
    LineFormat<AccessEntry> format =
        switch (config.format()) {
          case JSON -> new JsonAccessLines();
          case PATTERN -> new PatternAccessLines(AccessLogPattern.parse(config.pattern()));
        };
    this.probes = config.probes();
    this.queue =
        new LogQueue<>(
            new LogQueue.Bounds(config.maxWaiting(), Long.MAX_VALUE),
            NAME,
            LOG,
            new LineSink<>(format, target, writes));
  }

  /**
   * Opens the access log of the settings; empty if there is none.
   *
   * @throws dev.sluice.config.binding.ConfigException if its file cannot be written to
   */
  public static Optional<AccessLogWriter> open(AccessLogConfig config) {
    if (!config.enabled()) {
      return Optional.empty();
    }
    LineTarget target =
        config
            .file()
            .map(file ->
                LineTargets.file("access_log.file", file, config.maxFileSize(), config.maxFiles()))
            .orElseGet(() -> LineTargets.standardErrorOrLogger(LOGGER));
    return Optional.of(new AccessLogWriter(config, target));
  }

  @Override
  public void log(AccessEntry entry) {
    if (probes || !entry.isGoodProbe()) {
      queue.offer(entry, 0);
    }
  }

  @Override
  public void write(MetricsPage page) {
    page.single(
        "sluice_access_log_lines_total", COUNTER, "Lines of the access log.", writes.written());
    page.family(
            "sluice_access_log_dropped_total",
            COUNTER,
            "Lines of the access log that are lost: too many waited, or could not be written.")
        .add(queue.dropped(), "reason", "queue_full")
        .add(writes.failed(), "reason", "write_failed");
  }

  /** Writes what still waits, for two seconds at most. Blocks. */
  @Override
  public void close() {
    queue.close();
  }
}
