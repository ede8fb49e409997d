package dev.sluice.config.security;

import java.nio.file.Path;

/**
 * Certificates or a key in PEM's text form.
 *
 * <p>Inline text or a file: a file is read again when it changes, so that certificates rotate
 * without a restart.
 */
public sealed interface Pem {
  /** They are in a file. */
  record InFile(Path path) implements Pem {
    @Override
    public String toString() {
      return path.toString();
    }
  }

  /**
   * They were written into the settings themselves. Never shown: it may be a key.
   *
   * @param origin where they were written, for texts
   */
  record Written(String origin, String text) implements Pem {
    @Override
    public String toString() {
      return origin;
    }
  }
}
