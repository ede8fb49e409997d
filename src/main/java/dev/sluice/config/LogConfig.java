package dev.sluice.config;

import java.nio.file.Path;
import java.util.Optional;

/**
 * What the server logs, on its standard error or into a file.
 *
 * @param format form of log lines, for people or for programs. Also {@code --log-format}
 * @param level lowest level that is logged. Client errors are INFO, resource exhaustion is WARN,
 *     server errors are ERROR. Also {@code --log-level}
 * @param file file that lines are appended to; empty: the standard error
 */
public record LogConfig(Format format, Level level, Optional<Path> file) {
  public enum Format {
    TEXT,
    JSON
  }

  public enum Level {
    ERROR,
    WARN,
    INFO,
    DEBUG,
    TRACE
  }

  public static final LogConfig DEFAULT = new LogConfig(Format.TEXT, Level.INFO);

  /** On the standard error. */
  public LogConfig(Format format, Level level) {
    this(format, level, Optional.empty());
  }

  static LogConfig read(Section log) {
    return new LogConfig(
        log.choice("format", DEFAULT.format),
        log.choice("level", DEFAULT.level),
        log.text("file").map(Path::of));
  }
}
