package dev.sluice.config.binding;

import com.fasterxml.jackson.databind.node.TextNode;
import java.nio.file.InvalidPathException;

/**
 * Settings that cannot be used. The text is for the person who wrote them: where, what was got,
 * what was wanted. It carries no stack trace, because the place to look at is not in this program.
 */
public final class ConfigException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ConfigException(String message) {
    super(message, null, false, false);
  }

  /**
   * Returns the error for a text that the file system has no path for: with U+0000, or half a pair
   * of surrogates.
   *
   * @param origin the file that names the path
   */
  public static ConfigException noPath(String origin, InvalidPathException e) {
    return new ConfigException(
        origin + ": is " + TextNode.valueOf(e.getInput()) + "; wanted a path: " + e.getReason());
  }
}
