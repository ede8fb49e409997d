package dev.sluice.config.server;

import dev.sluice.config.binding.Section;
import java.time.Duration;

/**
 * How the server starts.
 *
 * @param warmUp time for which the server sends requests by all protocols to a built-in model, good
 *     and bad ones, before it says that it is ready, so that what clients send is compiled by then.
 *     Requests of clients are answered meanwhile. {@code 0s}: one request of each protocol
 */
public record StartupConfig(Duration warmUp) {
  public static final StartupConfig DEFAULT = new StartupConfig(Duration.ofSeconds(3));

  /** Reads the settings of the start. */
  public static StartupConfig read(Section startup) {
    return new StartupConfig(startup.duration("warm_up", DEFAULT.warmUp));
  }
}
