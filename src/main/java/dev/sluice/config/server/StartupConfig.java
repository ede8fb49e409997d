package dev.sluice.config.server;

import dev.sluice.config.binding.Section;
import java.time.Duration;

/**
 * How the server starts.
 *
 * @param warmUp longest time for which the server sends requests by all protocols to built-in
 *     models, good and bad ones, before it says that it is ready, so that what clients send is
 *     compiled by then; it ends earlier when nothing is left to compile. Requests of clients are
 *     answered meanwhile. {@code 0s}: one request of each protocol
 */
public record StartupConfig(Duration warmUp) {
  public static final StartupConfig DEFAULT = new StartupConfig(Duration.ofSeconds(30));

  /** Reads the settings of the start. */
  public static StartupConfig read(Section startup) {
    return new StartupConfig(startup.duration("warm_up", DEFAULT.warmUp));
  }
}
