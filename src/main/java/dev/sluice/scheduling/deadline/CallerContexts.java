package dev.sluice.scheduling.deadline;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Finds the event loops that requests come from, which their completions and deadlines go back to.
 * Each request has a context of its own, behind which is the one of its event loop. How to look
 * there is the transport's knowledge, and passed in. Any thread.
 *
 * @param vertx whose event loops they are
 * @param eventLoop returns the context of the event loop behind a context
 * @param isCurrent returns whether the caller is on the event loop of a context
 */
public record CallerContexts(
    Vertx vertx, UnaryOperator<Context> eventLoop, Predicate<Context> isCurrent) {
  /** Returns the context of the event loop that the caller is on. */
  public Context current() {
    return eventLoop.apply(vertx.getOrCreateContext());
  }
}
