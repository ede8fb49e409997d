package dev.sluice.config.binding;

/**
 * One setting from outside the file.
 *
 * @param path its full name, such as {@code limits.max_body_size}
 * @param value as text; a list's elements are separated by commas
 * @param origin what the person wrote it in, for texts: a flag or an environment variable
 */
public record SettingOverride(String path, String value, String origin) {
  /**
   * Reads {@code key.path=value}.
   *
   * @param origin the flag it was given to, such as {@code --set}
   */
  public static SettingOverride parse(String assignment, String origin) {
    int equals = assignment.indexOf('=');
    if (equals <= 0) {
      throw new ConfigException(
          origin + " " + assignment + ": wanted key.path=value, such as log.level=debug");
    }
    String path = assignment.substring(0, equals);
    return new SettingOverride(path, assignment.substring(equals + 1), origin + " " + path);
  }
}
