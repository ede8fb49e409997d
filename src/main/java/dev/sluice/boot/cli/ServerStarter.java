package dev.sluice.boot.cli;

import dev.sluice.config.SluiceConfig;

/** Starts servers. */
@FunctionalInterface
public interface ServerStarter {
  /**
   * Blocks until every listener is open and every model that was there has loaded or failed. With
   * no listeners in the settings, only the models are loaded.
   *
   * @throws StartFailure if it cannot start, with everything closed again
   */
  Server start(SluiceConfig config);
}
