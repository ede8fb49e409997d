package dev.sluice.transport;

import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;

/**
 * Answers what comes over the connections of one event loop's share of a listener.
 *
 * <p>One instance for each event loop: implementations need no locks.
 */
public interface ListenerDispatcher {
  /** Takes a request over. Called when its headers are there. */
  void answer(HttpServerRequest request);

  /** Called before a request is answered whose head can not be read. */
  default void refusing(HttpServerRequest request) {}

  /** Called before the first request of a connection, as soon as its protocol is detected. */
  default void opened(HttpConnection connection) {}

  /** Returns whether a path is that of a call whose client may be silent between its messages. */
  default boolean isStream(String path) {
    return false;
  }

  /** Called when the listener begins to close, and still waits for what is under way. */
  default void closing() {}
}
