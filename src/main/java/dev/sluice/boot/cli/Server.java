package dev.sluice.boot.cli;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/** A server that has started. Any thread. */
public interface Server extends AutoCloseable {
  /**
   * Returns the addresses it listens on, in the order of the settings, with the ports it really
   * got.
   */
  List<String> addresses();

  /** Blocks until every model that was there has loaded or failed, or the server closes. */
  void awaitModels();

  /** Returns every version of every model it knows, by name and number. */
  List<ModelLine> models();

  /**
   * Proposes improvements of its models, one line each. Only while they have no requests; blocks.
   */
  List<String> advice();

  /**
   * Looks at once at all that may change under a running server: models' folders, the file that
   * lists models, certificates.
   *
   * @return what was looked at, once all is
   */
  Future<List<String>> reload();

  /** Ends the drain early: no grace period is waited for, and requests have little time left. */
  void stopNow();

  /** Returns how long {@link #close} may take before only runs of models can delay it. */
  Duration closingTime();

  /**
   * Graceful shutdown: drains, then stops. Blocks until all is closed. Idempotent: closing again
   * does nothing.
   */
  @Override
  void close();
}
