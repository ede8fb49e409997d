package dev.sluice.config.server;

import dev.sluice.config.binding.Section;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The server's log: levels, format, and standard error or a file.
 *
 * @param format form of log lines, for people or for programs. Also {@code --log-format}
 * @param level lowest level that is logged. Client errors are INFO, resource exhaustion is WARN,
 *     server errors are ERROR. Also {@code --log-level}
 * @param file file that lines are appended to; empty: the standard error
 * @param lineStart how lines of text begin: the time in ISO 8601 and the level, or as glog does it
 *     (letter of the level, month and day, time, process)
 * @param suppressed levels that are not logged although {@code log.level} includes them
 */
public record LogConfig(
    Format format,
    Level level,
    Optional<Path> file,
    LineStart lineStart,
    Set<Suppressible> suppressed) {
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

  /** A level that can be off although a lower one is on. */
  public enum Suppressible {
    ERROR,
    WARN,
    INFO
  }

  /** The prefix of a log line. */
  public enum LineStart {
    ISO8601,
    GLOG
  }

  public static final LogConfig DEFAULT = new LogConfig(Format.TEXT, Level.INFO);

  public LogConfig {
    suppressed = Set.copyOf(suppressed);
  }

  /** On the standard error. */
  public LogConfig(Format format, Level level) {
    this(format, level, Optional.empty(), LineStart.ISO8601, Set.of());
  }

  /** Reads the settings of the log. */
  public static LogConfig read(Section log) {
    return new LogConfig(
        log.choice("format", DEFAULT.format),
        log.choice("level", DEFAULT.level),
        log.text("file").map(Path::of),
        log.choice("line_start", DEFAULT.lineStart),
        Set.copyOf(
            log.list(
                "suppressed",
                List.<Suppressible>of(),
                level -> level.constant(Suppressible.class))));
  }
}
