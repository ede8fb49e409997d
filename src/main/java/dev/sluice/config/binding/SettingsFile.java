package dev.sluice.config.binding;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The text of a file that people write.
 *
 * <p>Blocks on the file system. Errors are {@code ConfigException}s that name the file; nothing is
 * read partially.
 */
public final class SettingsFile {
  /** Bytes. More is not written by hand. */
  private static final long LARGEST = 1024 * 1024;

  private SettingsFile() {}

  /**
   * Reads it whole.
   *
   * @throws ConfigException if it is missing, unreadable, no UTF-8, or larger than people write
   */
  public static String read(Path file) {
    try {
      if (Files.size(file) > LARGEST) {
        throw new ConfigException(
            file + ": has " + Files.size(file) + " bytes; wanted at most " + Units.show(LARGEST));
      }
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      throw new ConfigException(file + ": no such file");
    } catch (CharacterCodingException e) {
      throw new ConfigException(file + ": is not UTF-8 text");
    } catch (IOException e) {
      throw new ConfigException(file + ": cannot be read: " + e.getMessage());
    }
  }
}
