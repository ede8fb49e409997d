package dev.sluice.config.binding;

/**
 * Settings that cannot be used. The text is for the person who wrote them: where, what was got,
 * what was wanted. It carries no stack trace, because the place to look at is not in this program.
 */
public final class ConfigException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ConfigException(String message) {
    super(message, null, false, false);
  }
}
