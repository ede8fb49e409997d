package dev.sluice.config.server;

import dev.sluice.config.binding.Section;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The access log: one line for each call, by any protocol.
 *
 * @param enabled whether there is one
 * @param format form of its lines: JSON objects with all fields, or {@code access_log.pattern}
 * @param pattern line of the format {@code pattern}, in which {@code $name} or {@code ${name}}
 *     stands for a field
 * @param file file that lines are appended to; empty: the standard error, or the logger {@code
 *     sluice.access} of an operator's own Logback configuration
 * @param maxFileSize size at which the file gets the number 1 behind its name, and a new one
 *     begins; 0: never
 * @param maxFiles files that are kept, the one that is written among them
 * @param probes whether calls for health, readiness and metrics that succeed are logged
 * @param maxWaiting lines that may wait for a slow disk; further ones are dropped and counted
 */
public record AccessLogConfig(
    boolean enabled,
    Format format,
    String pattern,
    Optional<Path> file,
    long maxFileSize,
    int maxFiles,
    boolean probes,
    int maxWaiting) {
  public enum Format {
    JSON,
    PATTERN
  }

  private static final long LARGEST = 1L << 40;
  private static final int MOST_FILES = 1_000;
  private static final int MOST_WAITING = 1 << 20;

  public static final AccessLogConfig DEFAULT =
      new AccessLogConfig(
          false,
          Format.JSON,
          "$time $client $identity $protocol \"$method $path\" $status $rpc_status $error"
              + " $model/$version $request_id $bytes_in $bytes_out $total_ms",
          Optional.empty(),
          100L << 20,
          5,
          true,
          8_192);

  /**
   * Reads the settings of the access log.
   *
   * @param log the settings of the server's own log, which may share the standard error
   */
  public static AccessLogConfig read(Section access, LogConfig log) {
    var read =
        new AccessLogConfig(
            access.flag("enabled", DEFAULT.enabled),
            access.choice("format", DEFAULT.format),
            pattern(access, access.text("pattern", DEFAULT.pattern)),
            access.text("file").map(Path::of),
            access.size("max_file_size", DEFAULT.maxFileSize, 0, LARGEST),
            access.number("max_files", DEFAULT.maxFiles, 1, MOST_FILES),
            access.flag("probes", DEFAULT.probes),
            access.number("max_waiting", DEFAULT.maxWaiting, 1, MOST_WAITING));
    if (read.enabled) {
      read.file.ifPresent(file -> requireFolder(access, file));
      requireJson(access, read, log);
    }
    return read;
  }

  private static void requireJson(Section access, AccessLogConfig read, LogConfig log) {
    boolean shared = read.file.isEmpty() && log.file().isEmpty();
    if (shared && read.format == Format.PATTERN && log.format() == LogConfig.Format.JSON) {
      throw access.error(
          "format",
          "is pattern on the standard error, where log.format lets nothing but JSON be; wanted"
              + " json, or an access_log.file");
    }
  }

  private static String pattern(Section access, String text) {
    try {
      AccessLogPattern.parse(text);
      return text;
    } catch (IllegalArgumentException e) {
      throw access.error("pattern", String.valueOf(e.getMessage()));
    }
  }

  private static void requireFolder(Section access, Path file) {
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder) || Files.isDirectory(file)) {
      throw access.error("file", "is " + file + "; wanted a file in a folder that there is");
    }
  }
}
