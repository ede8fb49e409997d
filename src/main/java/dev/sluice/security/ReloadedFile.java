package dev.sluice.security;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.binding.SettingsFile;
import dev.sluice.config.security.ApiKey;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file whose content is read again when it changes. A file that is missing or broken changes
 * nothing, and is one line in the log for each kind of damage.
 *
 * <p>Threads: one looks, any gets.
 *
 * @param <T> what it says
 */
final class ReloadedFile<T> implements Supplier<T> {
  private static final Logger LOG = LoggerFactory.getLogger(ReloadedFile.class);

  private final Path file;
  private final Function<String, T> parser;
  private volatile T value;

  /** Of the content that was read last: the content itself may be secret. */
  private byte[] hash;

  private String complaint = "";

  /**
   * Reads it for the first time. Blocks on the file system.
   *
   * @param parser throws ConfigException, without showing what is in the file
   * @throws ConfigException if it is missing or broken
   */
  ReloadedFile(Path file, Function<String, T> parser) {
    this.file = file;
    this.parser = parser;
    String text = SettingsFile.read(file);
    this.hash = ApiKey.hash(text);
    this.value = parser.apply(text);
  }

  /** Reads it again. Blocks on the file system. */
  void look() {
    try {
      String text = SettingsFile.read(file);
      byte[] now = ApiKey.hash(text);
      if (!MessageDigest.isEqual(now, hash)) {
        value = parser.apply(text);
        hash = now;
        LOG.info("{} has changed and is read anew", file);
      }
      complaint = "";
    } catch (ConfigException e) {
      complain(String.valueOf(e.getMessage()));
    }
  }

  private void complain(String text) {
    if (!text.equals(complaint)) {
      complaint = text;
      LOG.warn("{}; what it said before holds", text);
    }
  }

  @Override
  public T get() {
    return value;
  }
}
