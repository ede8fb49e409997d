package dev.sluice.boot;

import dev.sluice.inference.ModelId;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.repository.RepositoryListener;
import org.slf4j.Logger;

/**
 * Logs the events of models.
 *
 * <p>Threads: called under the repository's lock, so it only hands lines to the log, which never
 * blocks.
 */
record RepositoryEventLog(Logger log) implements RepositoryListener {
  @Override
  public void available(ModelId id) {
    log.atInfo().addKeyValue("model", id).log("takes requests");
  }

  @Override
  public void failed(ModelId id, VersionStatus.Failure why) {
    log.atError().addKeyValue("model", id).log("cannot be loaded: " + why.message());
  }

  @Override
  public void memberLost(ModelId id, VersionStatus.Failure why) {
    log.atInfo().addKeyValue("model", id).log("takes no requests: " + why.message());
  }

  @Override
  public void unloaded(ModelId id) {
    log.atInfo().addKeyValue("model", id).log("unloaded");
  }

  @Override
  public void warning(String text) {
    log.warn(text);
  }
}
