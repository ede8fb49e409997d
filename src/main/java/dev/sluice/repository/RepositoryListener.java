package dev.sluice.repository;

import dev.sluice.inference.ModelId;
import dev.sluice.inference.control.VersionStatus;

/**
 * Listener for the events of models, for logs and metrics. Called in the order of events, one call
 * at a time, under the repository's lock: be quick and wait for nothing.
 */
public interface RepositoryListener {
  /**
   * Called when this version takes requests now, or takes them with newer files or settings than
   * before.
   */
  void available(ModelId id);

  /** Called when this version could not be loaded. If it took requests before, it still does. */
  void failed(ModelId id, VersionStatus.Failure why);

  /**
   * Called when this version, an ensemble that has taken requests, takes none: a member of it is
   * not there any more.
   */
  void memberLost(ModelId id, VersionStatus.Failure why);

  /** Called when this version is unloaded, after its last request. */
  void unloaded(ModelId id);

  /** Something about the folders an operator should know. Said once, and again if it recurs. */
  void warning(String text);
}
