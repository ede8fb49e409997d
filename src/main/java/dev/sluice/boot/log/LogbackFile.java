package dev.sluice.boot.log;

import ch.qos.logback.classic.ClassicConstants;
import dev.sluice.config.binding.ConfigException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A configuration of Logback that an operator brings, in place of the settings {@code log.*}: the
 * file, resource or address that the system property {@code logback.configurationFile} names, or a
 * {@code logback.xml} on the class path.
 */
final class LogbackFile {
  private static final String DEFAULT = "logback.xml";

  private LogbackFile() {}

  /**
   * Returns the name of the operator's configuration; empty if the settings configure the log. Any
   * thread.
   */
  static Optional<String> name() {
    String named = System.getProperty(ClassicConstants.CONFIG_FILE_PROPERTY);
    if (named != null && !named.isBlank()) {
      return Optional.of(named);
    }
    return isResource(DEFAULT) ? Optional.of(DEFAULT) : Optional.empty();
  }

  /**
   * Requires the configuration to be there: Logback would go on without it and log everything.
   *
   * @throws ConfigException if nothing has its name
   */
  static void require(String name) {
    if (!isResource(name) && !isAddress(name) && !Files.isReadable(Path.of(name))) {
      throw new ConfigException(
          "the system property %s is %s, which is no file that can be read"
              .formatted(ClassicConstants.CONFIG_FILE_PROPERTY, name));
    }
  }

  private static boolean isResource(String name) {
    return LogbackFile.class.getClassLoader().getResource(name) != null;
  }

  private static boolean isAddress(String name) {
    try {
      URI address = new URI(name);
      return address.isAbsolute() && !address.toURL().getProtocol().isEmpty();
    } catch (URISyntaxException | MalformedURLException | IllegalArgumentException e) {
      return false;
    }
  }
}
