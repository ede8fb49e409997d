package dev.sluice.transport.grpc;

import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Shares an event loop among the messages of its streams: a few bytes can be thousands of messages,
 * each of which costs more than reading it. In each turn so many are taken, whichever streams they
 * belong to; the others wait, first come, first served, while the event loop looks after its
 * connections. Of one event loop.
 */
final class MessageTurns {
  /** Messages of a turn: one takes some 10 to 100 us. */
  private static final int MOST = 64;

  /** A timer, and not a task: tasks come before what connections have sent. */
  private static final long TURN_MILLIS = 1;

  private final Vertx vertx;
  private final Queue<Runnable> waiting = new ArrayDeque<>();
  private int taken;
  private boolean scheduled;

  MessageTurns(Vertx vertx) {
    this.vertx = vertx;
  }

  /** Returns whether a message may be taken in this turn, and counts it. */
  boolean tryTake() {
    if (taken == MOST) {
      return false;
    }
    taken++;
    schedule();
    return true;
  }

  /** Runs the action in a later turn, in which {@link #tryTake} is to be asked again. */
  void await(Runnable next) {
    waiting.add(next);
    schedule();
  }

  private void schedule() {
    if (!scheduled) {
      scheduled = true;
      vertx.setTimer(TURN_MILLIS, _ -> begin());
    }
  }

  private void begin() {
    scheduled = false;
    taken = 0;
    for (int left = waiting.size(); left > 0 && taken < MOST; left--) {
      waiting.remove().run();
    }
    if (!waiting.isEmpty()) {
      schedule();
    }
  }
}
