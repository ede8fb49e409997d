package dev.sluice.boot.log;

import dev.sluice.config.binding.ConfigException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where logs besides the server's own go. */
public final class LineTargets {
  private LineTargets() {}

  /**
   * Returns a file that rolls over.
   *
   * @param setting that names it
   * @param maxSize bytes at which the next one begins; 0: never
   * @param maxFiles files that are kept
   * @throws ConfigException if it cannot be written to
   */
  public static LineTarget file(String setting, Path path, long maxSize, int maxFiles) {
    var file = new RollingFile(path, maxSize, maxFiles, System::nanoTime);
    try {
      file.write(new byte[0]);
      return file;
    } catch (IOException e) {
      throw new ConfigException(setting + " is " + path + ", which cannot be written to: " + e);
    }
  }

  /**
   * Returns the standard error, from where native code does not get in between; or a logger, if an
   * operator's own configuration of Logback says where logs go.
   */
  public static LineTarget standardErrorOrLogger(String logger) {
    if (LogbackFile.name().isPresent()) {
      Logger log = LoggerFactory.getLogger(logger);
      return lines -> new String(lines, StandardCharsets.UTF_8).lines().forEach(log::info);
    }
    return lines -> {
      OutputStream error = LogSetup.standardError();
      error.write(lines);
      error.flush();
    };
  }
}
