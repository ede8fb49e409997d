package dev.sluice.transport.netty.vertx;

import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.internal.ContextInternal;

/**
 * The contexts of event loops themselves. Each request has a context of its own, a duplicate, which
 * is neither kept nor compared: completions of one event loop are found by its one context.
 */
public final class EventLoops {
  private EventLoops() {}

  /** Returns the context of the event loop behind a context. Any thread. */
  public static Context of(Context context) {
    return ((ContextInternal) context).unwrap();
  }

  /** Returns whether the caller is on the event loop of a context. Any thread. */
  public static boolean isOn(Context eventLoop) {
    return ((ContextInternal) eventLoop).inThread();
  }

  /** Runs an action in a context, at once: the caller is on its event loop. */
  public static <T> void emit(Context context, T argument, Handler<T> action) {
    ((ContextInternal) context).emit(argument, action);
  }
}
