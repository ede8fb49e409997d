package dev.sluice.transport.netty.vertx;

import io.vertx.core.Handler;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.net.impl.ShutdownEvent;

/**
 * The context of a connection, for what handlers of its channel do outside Vert.x' own. Belongs to
 * the connection's event loop.
 *
 * @param context the connection's, on its event loop
 */
public record ConnectionContext(ContextInternal context) {
  /**
   * Runs an action in the context, at once: the caller is on its event loop.
   *
   * @param argument of the action, so that it captures nothing
   */
  public <T> void emit(T argument, Handler<T> action) {
    context.emit(argument, action);
  }

  /** Returns whether a user event of a channel says that its listener closes. */
  public static boolean isShutdown(Object event) {
    return event instanceof ShutdownEvent;
  }
}
