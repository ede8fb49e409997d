package dev.sluice.transport;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Shares an event loop among the messages of its connections: a few bytes can be thousands of
 * messages, each of which costs more than reading it. Messages are taken for a millisecond,
 * whichever streams they belong to; the others wait, first come, first served, while the event loop
 * looks after its connections. Of one event loop.
 */
public final class MessageTurns {
  /** A timer, and not a task: tasks come before what connections have sent. */
  public static final long TURN_MILLIS = 1;

  private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(TURN_MILLIS);

  private final Consumer<Runnable> later;
  private final Queue<Runnable> waiting = new ArrayDeque<>();
  private long began;
  private boolean scheduled;

  /**
   * @param later runs an action on the event loop after {@link #TURN_MILLIS}
   */
  public MessageTurns(Consumer<Runnable> later) {
    this.later = later;
  }

  /** Returns whether a message may be taken in this turn. */
  public boolean tryTake() {
    long now = System.nanoTime();
    if (!scheduled) {
      began = now;
      schedule();
    }
    return now - began < TURN_NANOS;
  }

  /** Runs the action in a later turn, in which {@link #tryTake} is to be asked again. */
  public void await(Runnable next) {
    waiting.add(next);
  }

  private void schedule() {
    scheduled = true;
    later.accept(this::begin);
  }

  private void begin() {
    scheduled = false;
    if (waiting.isEmpty()) {
      return;
    }
    began = System.nanoTime();
    schedule();
    for (int left = waiting.size(); left > 0 && tryTake(); left--) {
      waiting.remove().run();
    }
  }
}
