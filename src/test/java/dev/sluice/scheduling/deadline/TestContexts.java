package dev.sluice.scheduling.deadline;

import dev.sluice.transport.netty.vertx.EventLoops;
import io.vertx.core.Vertx;

/** The event loops of a test. */
public final class TestContexts {
  private TestContexts() {}

  /** Returns those of a Vert.x, found as the server finds its own. */
  public static CallerContexts of(Vertx vertx) {
    return new CallerContexts(vertx, EventLoops::of, EventLoops::isOn);
  }
}
