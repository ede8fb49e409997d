package dev.sluice.config;

/**
 * What the server logs, on its standard error.
 *
 * @param format form of log lines, for people or for programs. Also {@code --log-format}
 * @param level lowest level that is logged. Client errors are INFO, resource exhaustion is WARN,
 *     server errors are ERROR. Also {@code --log-level}
 */
public record LogConfig(Format format, Level level) {
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

  static LogConfig read(Section log) {
    return new LogConfig(log.choice("format", DEFAULT.format), log.choice("level", DEFAULT.level));
  }
}
