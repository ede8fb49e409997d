package dev.sluice.config.security;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The API keys that are valid. A name may have several keys, so that one can be replaced by
 * another.
 *
 * @param keys further keys, of the same form as the lines of the file
 * @param file file with one key in each line, {@code name: sha256:HEX} or {@code name: KEY}. It is
 *     read again when it changes
 */
public record ApiKeysConfig(List<ApiKey> keys, Optional<Path> file) {
  public static final ApiKeysConfig DEFAULT = new ApiKeysConfig(List.of(), Optional.empty());

  public ApiKeysConfig {
    keys = List.copyOf(keys);
  }

  static ApiKeysConfig read(Section section) {
    return new ApiKeysConfig(
        section.single("keys").map(keys -> written(section, keys)).orElse(DEFAULT.keys),
        section.text("file").map(Path::of));
  }

  /** No complaint shows what was got: it may hold a key. */
  private static List<ApiKey> written(Section section, Setting keys) {
    try {
      return keys.elements().stream()
          .map(key -> ApiKey.parse(key.text()).orElseThrow(() -> wrong(section)))
          .toList();
    } catch (ConfigException _) {
      throw wrong(section);
    }
  }

  private static ConfigException wrong(Section section) {
    return section.error("keys", "hold one of another form; wanted texts, " + ApiKey.WANTED);
  }

  /** Returns whether callers may have keys at all. */
  public boolean isPresent() {
    return !keys.isEmpty() || file.isPresent();
  }

  /**
   * Reads the lines of a key file: {@code name: sha256:HEX} or {@code name: key}; empty lines, and
   * those that begin with a number sign, say nothing. A file without a line is one that is being
   * written; one that has no keys on purpose has a comment.
   *
   * @param file for complaints
   * @throws ConfigException naming the line, but never what is in it
   */
  public static List<ApiKey> parse(Path file, String text) {
    if (text.isBlank()) {
      throw new ConfigException(file + ": is empty; wanted keys, or a comment where there is none");
    }
    List<ApiKey> keys = new ArrayList<>();
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      if (!line.isBlank() && !line.strip().startsWith("#")) {
        int at = number;
        ApiKey key =
            ApiKey.parse(line)
                .orElseThrow(
                    () -> new ConfigException(file + ": line " + at + ": wanted " + ApiKey.WANTED));
        if (keys.stream().anyMatch(other -> other.sha256().equals(key.sha256()))) {
          throw new ConfigException(
              file
                  + ": line "
                  + at
                  + ": has a key that an earlier line has; wanted one name a key");
        }
        keys.add(key);
      }
    }
    return keys;
  }
}
