package dev.sluice.config;

/**
 * What the server says on its standard error.
 *
 * @param format lines for people or for programs
 * @param level the least important level that is written
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
